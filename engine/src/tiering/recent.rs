//! The routine that a thread has run last, kept by it: whoever runs the same again needs no guard on it.
//!
//! Publications of code have numbers, never used twice in a process: while a transform says the number that a thread has
//! seen, the thread's routine is the transform's. A thread that takes turns between transforms takes guards.
//!
//! So a thread may keep one routine alive whose code is counted no more: until it runs another twice, interprets a call
//! that is timed, or ends.

use crate::native::Native;
use arc_swap::{ArcSwapOption, Guard};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number for a publication of code; 0 is none.
pub(crate) fn publication() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What a thread has run last.
#[derive(Default)]
pub(crate) struct Recent {
    /// Publication of `native`.
    publication: u64,
    native: Option<Arc<Native>>,
    /// Publication of what was run last under a guard.
    met: u64,
}

/// Code that is held while it runs.
pub(crate) enum Held<'r> {
    Kept(&'r Native),
    Guarded(Guard<Option<Arc<Native>>>),
}

impl Held<'_> {
    #[inline]
    pub(crate) fn native(&self) -> Option<&Native> {
        match self {
            Held::Kept(native) => Some(native),
            Held::Guarded(guard) => guard.deref().as_deref(),
        }
    }
}

impl Recent {
    /// The code of a publication that is not 0, if it is the one that is kept.
    #[inline]
    pub(crate) fn kept(&self, publication: u64) -> Option<&Native> {
        if self.publication == publication { self.native.as_deref() } else { None }
    }

    /// The code of a publication that is not 0.
    pub(crate) fn hold(&mut self, publication: u64, code: &ArcSwapOption<Native>) -> Held<'_> {
        if self.publication != publication {
            if self.met != publication {
                self.met = publication;
                return Held::Guarded(code.load());
            }
            self.keep(publication, code);
        }
        match &self.native {
            Some(native) => Held::Kept(native),
            None => Held::Guarded(code.load()),
        }
    }

    /// What is kept may go. Called now and then, when what runs has no code.
    pub(crate) fn forget(&mut self) {
        if self.native.is_some() {
            *self = Recent::default();
        }
    }

    #[cold]
    fn keep(&mut self, publication: u64, code: &ArcSwapOption<Native>) {
        // It may be of a later publication already: the same transform, the same Program, but not the same number; then it
        // is fetched once more.
        self.native = code.load_full();
        self.publication = publication;
    }
}
