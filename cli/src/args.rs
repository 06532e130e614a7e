//! The command line.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use reschema::{ResolutionRules, TypeNames, UnionMatch};
use std::path::PathBuf;

/// Transforms data between schemas.
#[derive(Parser, Debug)]
#[command(name = "reschema", version, after_help = crate::exit::HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Rewrite container files under another schema.
    #[command(after_help = crate::exit::HELP)]
    Convert(Convert),
    /// Print the schema of a container file or an .avsc file.
    #[command(after_help = crate::exit::HELP)]
    Schema(Schema),
    /// Tell whether data of one schema can be read under another, with every difference.
    #[command(after_help = crate::exit::HELP)]
    Check(Pair),
    /// Show how a pair of schemas is transformed: plan, IR before and after passes.
    #[command(after_help = crate::exit::HELP)]
    Explain(Pair),
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Convert {
    /// Container files; `-` is standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Schema of the output: an .avsc file, or a container file whose schema is taken.
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) to_schema: PathBuf,
    /// Output file; `-` is standard output.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Codec of the output.
    #[arg(long, value_enum, default_value_t = CodecName::Null)]
    pub(crate) codec: CodecName,
    /// Level of the codec: deflate and xz 0 to 9, bzip2 1 to 9, zstandard 1 to 22.
    #[arg(long, value_name = "N")]
    pub(crate) level: Option<u32>,
    /// Metadata of the output, besides those of the first input.
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
    /// Say nothing when all is well.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) rules: Rules,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Schema {
    /// A container file or an .avsc file; several .avsc files may refer to each other.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the parsing canonical form.
    #[arg(long)]
    pub(crate) canonical: bool,
    /// Print a fingerprint of the canonical form, in hexadecimal digits.
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "rabin", require_equals = true)]
    pub(crate) fingerprint: Option<Fingerprint>,
    /// Accept names that the specification forbids.
    #[arg(long)]
    pub(crate) lenient_names: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Pair {
    /// Schema that the data were written with: .avsc or container file.
    pub(crate) writer: PathBuf,
    /// Schema that they are wanted in: .avsc or container file.
    pub(crate) reader: PathBuf,
    #[command(flatten)]
    pub(crate) rules: Rules,
}

/// Rules of resolution.
#[derive(ClapArgs, Debug)]
pub(crate) struct Rules {
    /// How a branch of the reader's union is chosen.
    #[arg(long, value_enum, default_value_t = Union::Exact)]
    union_match: Union,
    /// Let records outside unions match whatever they are called, as Java does.
    #[arg(long)]
    ignore_record_names: bool,
    /// Accept names that the specification forbids.
    #[arg(long)]
    pub(crate) lenient_names: bool,
}

impl Rules {
    pub(crate) fn get(&self) -> ResolutionRules {
        let union = match self.union_match {
            Union::Exact => UnionMatch::ExactFirst,
            Union::First => UnionMatch::FirstMatch,
        };
        let rules = ResolutionRules::default().union_match(union);
        if self.ignore_record_names { rules.type_names(TypeNames::IgnoreRecordNames) } else { rules }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Union {
    /// The same type first, then the first promotion.
    Exact,
    /// The first that matches: the letter of the specification.
    First,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CodecName {
    Null,
    Deflate,
    Snappy,
    Bzip2,
    Xz,
    #[value(alias = "zstd")]
    Zstandard,
}

impl CodecName {
    /// As `avro.codec` tells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            CodecName::Null => "null",
            CodecName::Deflate => "deflate",
            CodecName::Snappy => "snappy",
            CodecName::Bzip2 => "bzip2",
            CodecName::Xz => "xz",
            CodecName::Zstandard => "zstandard",
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Fingerprint {
    /// CRC-64-AVRO.
    Rabin,
    Md5,
    Sha256,
}
