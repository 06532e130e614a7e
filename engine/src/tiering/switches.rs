//! What an operator may switch by variables of the environment, without a new build: read once, when an engine is built.
//! docs/tiering.md is the operator's text of this table.
//!
//! | variable | value | what it does |
//! |---|---|---|
//! | `RESCHEMA_TIER` | `off`, `auto`, `eager` or `verify` | puts that tiering in the place of the program's; `off`: nothing is compiled, on request neither |
//! | `RESCHEMA_TIER_THRESHOLD` | bytes of input | adaptive tiering compiles at so many bytes, whatever it measures |
//! | `RESCHEMA_JIT_MAX_OP` | a number | native code leaves a value to the interpreter at the op of that number: halving it finds an op whose code is wrong |

use super::{Kind, Tiering};

/// What the environment says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Switches {
    tiering: Option<Tiering>,
    threshold: Option<u64>,
    pub(crate) max_op: Option<u32>,
}

impl Switches {
    /// Of this process; what is not understood is told.
    pub(crate) fn read() -> Result<Switches, String> {
        Switches::from(|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()))
    }

    fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Switches, String> {
        let given = |name: &str| variable(name).filter(|v| !v.is_empty());
        let tiering = given("RESCHEMA_TIER").map(|v| tiering(&v)).transpose()?;
        let threshold = number(&given, "RESCHEMA_TIER_THRESHOLD")?;
        Ok(Switches { tiering, threshold, max_op: number(&given, "RESCHEMA_JIT_MAX_OP")? })
    }

    /// Why nothing is compiled, if that is what they say.
    pub(crate) fn off(&self) -> Option<&'static str> {
        (self.tiering == Some(Tiering::interpreter())).then_some("switched off by RESCHEMA_TIER")
    }

    /// The tiering that holds where a program has asked for this one.
    pub(crate) fn over(&self, asked: Tiering) -> Tiering {
        // A program that has set knobs keeps them where adaptive tiering is what is wanted.
        let keeps =
            matches!((&self.tiering, &asked.0), (None, _) | (Some(Tiering(Kind::Adaptive(_))), Kind::Adaptive(_)));
        let tiering = if keeps { asked } else { self.tiering.clone().unwrap_or_default() };
        match (tiering, self.threshold) {
            (Tiering(Kind::Adaptive(a)), Some(bytes)) => a.threshold(bytes).into(),
            (tiering, _) => tiering,
        }
    }
}

fn tiering(word: &str) -> Result<Tiering, String> {
    match word {
        "off" => Ok(Tiering::interpreter()),
        "auto" => Ok(Tiering::adaptive().into()),
        "eager" => Ok(Tiering::eager()),
        "verify" => Ok(Tiering::verify()),
        _ => Err(format!("RESCHEMA_TIER is off, auto, eager or verify, found {word:?}")),
    }
}

fn number<N: std::str::FromStr>(given: &impl Fn(&str) -> Option<String>, name: &str) -> Result<Option<N>, String> {
    let Some(text) = given(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| format!("{name} is a number, found {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Switches, String> {
        Switches::from(|name| variables.iter().find(|v| v.0 == name).map(|v| v.1.into()))
    }

    #[test]
    fn the_environment_comes_first() {
        let knobs = || Tiering::from(Tiering::adaptive().factor(3.0));
        let over = |variables: &[_], asked| of(variables).expect("understood").over(asked);
        assert_eq!(over(&[], knobs()), knobs());
        assert_eq!(over(&[("RESCHEMA_TIER", "")], knobs()), knobs());
        assert_eq!(over(&[("RESCHEMA_TIER", "off")], knobs()), Tiering::interpreter());
        assert_eq!(of(&[("RESCHEMA_TIER", "off")]).expect("understood").off(), Some("switched off by RESCHEMA_TIER"));
        assert_eq!(of(&[("RESCHEMA_TIER", "auto")]).expect("understood").off(), None);
        assert_eq!(over(&[("RESCHEMA_TIER", "auto")], knobs()), knobs());
        assert_eq!(over(&[("RESCHEMA_TIER", "auto")], Tiering::eager()), Tiering::adaptive().into());
        assert_eq!(over(&[("RESCHEMA_TIER", "verify")], Tiering::eager()), Tiering::verify());
        let threshold = ("RESCHEMA_TIER_THRESHOLD", "77");
        assert_eq!(over(&[threshold], knobs()), Tiering::adaptive().factor(3.0).threshold(77).into());
        assert_eq!(over(&[threshold], Tiering::eager()), Tiering::eager());
        assert_eq!(of(&[("RESCHEMA_JIT_MAX_OP", "12")]).expect("understood").max_op, Some(12));
    }

    #[test]
    fn what_is_not_understood_is_told() {
        assert!(of(&[("RESCHEMA_TIER", "on")]).is_err_and(|e| e.contains("found \"on\"")));
        assert!(of(&[("RESCHEMA_JIT_MAX_OP", "-1")]).is_err_and(|e| e.contains("RESCHEMA_JIT_MAX_OP")));
        assert!(of(&[("RESCHEMA_TIER_THRESHOLD", "1 MB")]).is_err());
    }
}
