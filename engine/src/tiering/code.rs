//! The code that an engine keeps: how much, and whose goes when there is too much.
//!
//! Only what may be found by new calls counts. Code that a call is in lives until the call returns.

use super::state::TierState;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

#[derive(Default)]
pub(crate) struct Code(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    bytes: usize,
    by_transform: HashMap<u64, Entry>,
}

struct Entry {
    state: Weak<TierState>,
    /// Of this compile.
    ticket: u64,
    bytes: usize,
    /// Input bytes that it has seen when it was last looked at, and lately.
    seen: u64,
    recent: f64,
}

/// Code that has lost its place: whose, and of which compile.
pub(crate) type Victim = (Weak<TierState>, u64);

impl Code {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.kept().bytes
    }

    /// Finds room for code of a transform, under a limit, and says whose code must go for it; `None` if it is larger than
    /// the limit.
    pub(crate) fn admit(
        &self,
        newcomer: (u64, &Weak<TierState>, u64),
        bytes: usize,
        limit: usize,
    ) -> Option<Vec<Victim>> {
        if bytes > limit {
            return None;
        }
        let (id, state, ticket) = newcomer;
        // A transform whose last handle goes meanwhile must not go under the lock, which it takes as it goes.
        let mut alive = Vec::new();
        let mut kept = self.kept();
        kept.remove(id);
        let mut victims = Vec::new();
        if kept.bytes.saturating_add(bytes) > limit {
            let mut values: Vec<(f64, u64)> = Vec::with_capacity(kept.by_transform.len());
            for (id, entry) in &mut kept.by_transform {
                let state = entry.state.upgrade();
                values.push((entry.value(state.as_deref()), *id));
                alive.extend(state);
            }
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (_, id) in values {
                if kept.bytes.saturating_add(bytes) <= limit {
                    break;
                }
                victims.extend(kept.remove(id).map(|e| (e.state, e.ticket)));
            }
        }
        kept.bytes += bytes;
        kept.by_transform.insert(id, Entry { state: state.clone(), ticket, bytes, seen: 0, recent: 0.0 });
        drop(kept);
        drop(alive);
        Some(victims)
    }

    /// A transform has no code any more. Under its lock, as [`Code::admit`] is: what it may have next is not meant.
    pub(crate) fn release(&self, id: u64) {
        self.kept().remove(id);
    }
}

impl Kept {
    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.by_transform.remove(&id)?;
        self.bytes -= entry.bytes;
        Some(entry)
    }
}

impl Entry {
    /// Nanoseconds saved of late, for each byte of code.
    fn value(&mut self, state: Option<&TierState>) -> f64 {
        let Some(state) = state else { return -1.0 };
        let (seen, saved) = state.use_of_code();
        self.recent = self.recent / 2.0 + seen.saturating_sub(self.seen) as f64;
        self.seen = seen;
        self.recent * saved / self.bytes.max(1) as f64
    }
}
