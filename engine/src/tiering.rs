//! Which tier runs a transform, and when that changes.

/// When native code is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiering(pub(crate) Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Interpreter,
    Eager,
    Verify,
}

impl Tiering {
    /// Never, but for [`Transform::compile`](crate::Transform::compile).
    pub fn interpreter() -> Tiering {
        Tiering(Kind::Interpreter)
    }

    /// When the transform is made: that takes as long as some ten thousand records, and pays only where more come. What
    /// cannot be compiled runs on the interpreter.
    pub fn eager() -> Tiering {
        Tiering(Kind::Eager)
    }

    /// Everything runs on both tiers, and what they give is compared: for finding faults. A difference is an error of kind
    /// [`TiersDiffer`](crate::ErrorKind::TiersDiffer). What cannot be compiled runs on the interpreter.
    pub fn verify() -> Tiering {
        Tiering(Kind::Verify)
    }
}

impl Default for Tiering {
    fn default() -> Tiering {
        Tiering::interpreter()
    }
}
