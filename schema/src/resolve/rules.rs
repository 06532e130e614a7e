//! The choices that the specification leaves open, or that users want otherwise.

/// How a variant of the reader's union is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum UnionMatch {
    /// The same full name, then an alias, then the same unqualified name, then the first promotion.
    #[default]
    ExactFirst,
    /// The first variant that matches, promotions included: the letter of the specification.
    FirstMatch,
}

/// How names of types are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum TypeNames {
    /// Unqualified names are equal, or the writer's full name is an alias of the reader's type.
    #[default]
    UnqualifiedOrAlias,
    /// Full names are equal, or the writer's is an alias.
    FullOrAlias,
    /// Records outside unions match whatever they are called, as in Java.
    IgnoreRecordNames,
}

/// What happens when two decimals differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DecimalRule {
    /// A different scale, or a smaller precision in the reader, is a mismatch.
    #[default]
    Error,
    /// The unscaled number is kept, with a warning.
    Raw,
}

/// What happens when other logical types differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum LogicalRule {
    /// The raw value is kept, with a warning.
    #[default]
    Raw,
    /// A mismatch.
    Error,
}

/// The rules of resolution. Start from `default()` and change what you need.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct ResolutionRules {
    /// How a variant of the reader's union is chosen.
    pub union_match: UnionMatch,
    /// How names of types are compared.
    pub type_names: TypeNames,
    /// What happens when two decimals differ.
    pub decimal: DecimalRule,
    /// What happens when other logical types differ.
    pub logical: LogicalRule,
}

impl ResolutionRules {
    /// Sets [`ResolutionRules::union_match`].
    pub fn union_match(mut self, rule: UnionMatch) -> ResolutionRules {
        self.union_match = rule;
        self
    }

    /// Sets [`ResolutionRules::type_names`].
    pub fn type_names(mut self, rule: TypeNames) -> ResolutionRules {
        self.type_names = rule;
        self
    }

    /// Sets [`ResolutionRules::decimal`].
    pub fn decimal(mut self, rule: DecimalRule) -> ResolutionRules {
        self.decimal = rule;
        self
    }

    /// Sets [`ResolutionRules::logical`].
    pub fn logical(mut self, rule: LogicalRule) -> ResolutionRules {
        self.logical = rule;
        self
    }
}
