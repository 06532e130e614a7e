//! What the fuzz targets assert: for each a function of bytes that panics on a finding.
//!
//! They live here, so that `cargo test` replays the seeds and the kept findings; `fuzz/` runs them under libFuzzer.

mod container;
mod datum;
pub mod mutate;
mod resolve;
mod run;
mod schema;
mod text;

pub use container::container;
pub use resolve::resolve;
pub use run::run;
pub use schema::schema;

/// A target: its name, which is that of its folder of seeds, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 4] = [("container", container), ("schema", schema), ("resolve", resolve), ("run", run)];

/// Choices made by the bytes of an input; zeros behind their end.
struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    /// At most so many bytes.
    fn bytes(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    fn rest(self) -> &'a [u8] {
        self.0
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
