//! Engines of both tiers, so that what runs transforms is tested on each.

use reschema::{Engine, Tiering, Transform};

/// An engine that interprets, and one that compiles all it can.
pub fn both() -> [Engine; 2] {
    [Tiering::interpreter(), Tiering::eager()]
        .map(|tiering| Engine::builder().tiering(tiering).build().expect("an engine"))
}

/// Asserts that a transform of engine `i` of [`both`] runs on that engine's tier.
///
/// # Panics
/// It does not.
pub fn assert_tier(i: usize, t: &Transform) {
    let compiled = i == 1 && cfg!(feature = "jit");
    assert_eq!(t.native().is_some_and(|n| n.is_ok()), compiled, "{:?}", t.native());
}
