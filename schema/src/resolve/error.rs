//! Differences between two schemas, and the error that lists them.

use std::fmt;

/// What kind of difference. The names are those of Java's `SchemaCompatibility`, with a few more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MismatchKind {
    /// Named types with different names.
    Name,
    /// `fixed` types of different size.
    FixedSize,
    /// The writer has symbols that the reader lacks, and the reader's enum has no default.
    MissingEnumSymbols,
    /// A reader field that is not written has no default.
    MissingDefault,
    /// A needed default is not a value of its type.
    InvalidDefault,
    /// Types that do not match.
    Type,
    /// No variant of the reader's union takes the type.
    MissingUnionBranch,
    /// Aliases that claim one writer field twice, or several for one reader field.
    AmbiguousAlias,
    /// Decimals whose scale differs, or whose precision shrinks.
    Decimal,
    /// Logical types that differ, where the rules make that a mismatch.
    Logical,
}

impl MismatchKind {
    /// `NAME_MISMATCH` and so on.
    pub fn as_str(self) -> &'static str {
        match self {
            MismatchKind::Name => "NAME_MISMATCH",
            MismatchKind::FixedSize => "FIXED_SIZE_MISMATCH",
            MismatchKind::MissingEnumSymbols => "MISSING_ENUM_SYMBOLS",
            MismatchKind::MissingDefault => "READER_FIELD_MISSING_DEFAULT_VALUE",
            MismatchKind::InvalidDefault => "INVALID_DEFAULT",
            MismatchKind::Type => "TYPE_MISMATCH",
            MismatchKind::MissingUnionBranch => "MISSING_UNION_BRANCH",
            MismatchKind::AmbiguousAlias => "AMBIGUOUS_ALIAS",
            MismatchKind::Decimal => "DECIMAL_MISMATCH",
            MismatchKind::Logical => "LOGICAL_TYPE_MISMATCH",
        }
    }

    /// The class of error that it belongs to: `"mismatch"`, `"default"` or `"decimal"`.
    pub fn class(self) -> &'static str {
        match self {
            MismatchKind::MissingDefault | MismatchKind::InvalidDefault => "default",
            MismatchKind::Decimal => "decimal",
            _ => "mismatch",
        }
    }
}

/// One difference, with its place in both schemas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mismatch {
    /// What kind.
    pub kind: MismatchKind,
    /// Place in the writer's schema: `$.items[].price`, `{}` for map values, `<name>` for union variants.
    pub writer_path: String,
    /// Place in the reader's schema.
    pub reader_path: String,
    /// Expected and found.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at reader {}, writer {}: {}",
            self.kind.as_str(),
            self.reader_path,
            self.writer_path,
            self.message
        )
    }
}

/// A pair of schemas that does not resolve: every difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveError {
    /// At least one, in the order of the reader's schema.
    pub mismatches: Vec<Mismatch>,
}

impl ResolveError {
    /// The class of the first difference: `"mismatch"`, `"default"` or `"decimal"`.
    pub fn class(&self) -> &'static str {
        self.mismatches.first().map_or("mismatch", |m| m.kind.class())
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.mismatches.len();
        write!(f, "the schemas do not resolve ({n} difference{})", if n == 1 { "" } else { "s" })?;
        self.mismatches.iter().take(50).try_for_each(|m| write!(f, "\n  {m}"))?;
        if n > 50 {
            write!(f, "\n  and {} more", n - 50)?;
        }
        Ok(())
    }
}

impl std::error::Error for ResolveError {}
