//! What a compile will cost, and what native code will gain, learned from those that are done.

/// Learned by an engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prediction {
    /// Nanoseconds for each estimated instruction.
    per_instruction: f64,
    /// Time of native code over the interpreter's.
    ratio: f64,
}

/// Nanoseconds that every compile takes.
const BASE: f64 = 100_000.0;
/// Weight of what was learned last.
const NEW: f64 = 0.25;

impl Default for Prediction {
    fn default() -> Prediction {
        // Measured: 2 to 4 µs an instruction; 0.4 to 0.9 of the interpreter's time.
        Prediction { per_instruction: 3_000.0, ratio: 0.6 }
    }
}

impl Prediction {
    /// Nanoseconds that compiling will take.
    pub(crate) fn compile(&self, instructions: usize) -> f64 {
        BASE + self.per_instruction * instructions as f64
    }

    pub(crate) fn per_instruction(&self) -> f64 {
        self.per_instruction
    }

    pub(crate) fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Learns from a compile of so many estimated instructions.
    pub(crate) fn compiled(&mut self, instructions: usize, nanoseconds: f64) {
        let measured = (nanoseconds - BASE).max(0.0) / instructions.max(1) as f64;
        self.per_instruction += NEW * (measured.clamp(100.0, 100_000.0) - self.per_instruction);
    }

    /// Learns from both tiers' nanoseconds a byte.
    pub(crate) fn measured(&mut self, interpreted: f64, native: f64) {
        if interpreted > 0.0 && native > 0.0 {
            self.ratio += NEW * ((native / interpreted).clamp(0.1, 2.0) - self.ratio);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_what_a_machine_takes() {
        let mut p = Prediction::default();
        assert_eq!(p.compile(300), 1e6);
        (0..40).for_each(|_| p.compiled(300, 4e6));
        assert!((p.compile(300) / 4e6 - 1.0).abs() < 0.01, "{p:?}");
        (0..40).for_each(|_| p.measured(2.0, 0.8));
        assert!((p.ratio() - 0.4).abs() < 0.01, "{p:?}");
        // A clock that stood still, or jumped.
        p.compiled(0, -1.0);
        p.compiled(1, f64::INFINITY);
        p.measured(0.0, 1.0);
        assert!(p.compile(300).is_finite() && p.ratio().is_finite());
    }
}
