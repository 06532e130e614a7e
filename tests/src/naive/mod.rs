//! A third opinion: Avro resolution as plainly as it can be written. Values are decoded, transformed and encoded one
//! by one; nothing of the engine is used, not even its JSON reader.
//!
//! It models what the conformance cases pin: the first error in the order of the input is the answer, and reading
//! goes on behind errors of single values, to learn which others an engine that works in another order may meet.

mod default;
mod json;
mod plan;
mod run;
mod schema;
pub mod text;

use std::collections::BTreeSet;

/// Choices and limits.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The reader's variant is the first that matches, promotions included.
    pub first_match: bool,
    /// Records, lists and maps inside each other.
    pub max_depth: u32,
    /// List items that take no bytes, a datum.
    pub zero_cap: u64,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { first_match: false, max_depth: 64, zero_cap: 16 << 20 }
    }
}

/// Why a datum, or a pair, is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// True when the schemas alone are refused.
    pub resolve: bool,
    /// Class of the first error.
    pub class: &'static str,
    /// Classes that an engine may report instead.
    pub also: BTreeSet<&'static str>,
}

impl Refusal {
    fn resolve(class: &'static str) -> Refusal {
        Refusal { resolve: true, class, also: BTreeSet::new() }
    }

    /// True when a class is an acceptable answer.
    pub fn accepts(&self, class: &str) -> bool {
        self.class == class || self.also.contains(class)
    }
}

/// A pair of schemas, resolved.
pub struct Pair {
    writer: schema::Schema,
    plan: plan::Plan,
    policy: Policy,
}

/// True when a text is a schema.
pub fn is_schema(text: &str) -> bool {
    schema::Schema::parse(text).is_ok()
}

impl Pair {
    /// Parses and resolves a pair.
    pub fn new(writer: &str, reader: &str, policy: &Policy) -> Result<Pair, Refusal> {
        let parse = |text| schema::Schema::parse(text).map_err(|_| Refusal::resolve("schema"));
        let (writer, reader) = (parse(writer)?, parse(reader)?);
        let plan = plan::resolve(&writer, &reader, policy)?;
        Ok(Pair { writer, plan, policy: policy.clone() })
    }

    /// Transforms a datum: output and bytes consumed.
    pub fn run(&self, input: &[u8]) -> Result<(Vec<u8>, usize), Refusal> {
        run::run(&self.writer, &self.plan, &self.policy, input)
    }
}
