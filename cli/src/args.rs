//! The command line.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use reschema::{ResolutionRules, Tiering, TypeNames, UnionMatch};
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
    /// Count the records of container files.
    #[command(after_help = crate::exit::HELP)]
    Count(Count),
    /// Print the metadata of container files.
    #[command(after_help = crate::exit::HELP)]
    Meta(Meta),
    /// Tell whether data of one schema can be read under another, with every difference.
    #[command(after_help = crate::exit::HELP)]
    Check(Check),
    /// Show how a pair of schemas is transformed: plan, IR before and after passes.
    #[command(after_help = crate::exit::HELP)]
    Explain(Explain),
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Convert {
    /// Container files; `-` is standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Schema of the output: an .avsc file, or a container file whose schema is taken. Default: that of the first
    /// input.
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) to_schema: Option<PathBuf>,
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
    /// Bytes of values, before compression, from which a block of the output is written.
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 10, value_parser = block_bytes)]
    pub(crate) block_bytes: usize,
    /// Append to OUT, a container file, which keeps its schema, codec and metadata.
    #[arg(long, conflicts_with_all = ["codec", "level", "metadata"])]
    pub(crate) append: bool,
    /// Threads; 0: as many as there are cores, at most 8. The output is the same on any number.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=256))]
    pub(crate) threads: u16,
    /// What happens where data are bad: fail; skip leaves out what cannot be read (a record where the others of its
    /// block are sound, else the rest of the block, else everything up to the next sync marker); dlq=FILE does the
    /// same and sets it aside in a container file.
    #[arg(long, value_name = "fail|skip|dlq=FILE", default_value = "fail")]
    pub(crate) on_error: OnError,
    /// What runs the transformation. The variable RESCHEMA_TIER (off, auto, eager, verify) comes before it.
    #[arg(long, value_enum, default_value_t = Tier::Auto)]
    pub(crate) tier: Tier,
    /// With --tier auto: bytes of values, before compression, at which native code is made, whatever is measured.
    #[arg(long, value_name = "BYTES")]
    pub(crate) tier_threshold: Option<u64>,
    /// Tell on standard error which tier has done what, and why.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text", require_equals = true)]
    pub(crate) stats: Option<Form>,
    /// Deepest nesting of records, arrays and maps, at most 256. Default 64.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) max_depth: Option<u32>,
    /// Say nothing when all is well.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) rules: Rules,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Schema {
    /// A container file or an .avsc file; several .avsc files may refer to each other. With --infer, files of JSON.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) infer: Infer,
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

/// Inference of a schema.
#[derive(ClapArgs, Debug)]
pub(crate) struct Infer {
    /// Infer one schema from files of JSON (`-`: standard input): values behind each other, a line each, or the items of
    /// one array. On standard error it is told what was seen at each place.
    #[arg(long)]
    pub(crate) infer: bool,
    /// Form in which it is told what was seen.
    #[arg(long, value_enum, requires = "infer", default_value_t = Told::Text, value_name = "FORM")]
    pub(crate) certainty: Told,
    /// Make dates, time stamps, UUIDs and decimals of strings that all look so. They may come back spelled otherwise.
    #[arg(long, requires = "infer")]
    pub(crate) logical_types: bool,
    /// Name of the outermost record.
    #[arg(long, requires = "infer", default_value = "Record")]
    pub(crate) name: String,
}

/// How it is told what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Told {
    /// A line each place.
    Text,
    /// An object each place, in an array.
    Json,
    /// Not at all.
    None,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) pair: Pair,
    #[command(flatten)]
    pub(crate) ends: crate::ends::Ends,
    /// Print only the code generator's IR.
    #[arg(long)]
    pub(crate) clif: bool,
    /// Print only the machine instructions.
    #[arg(long, conflicts_with = "clif")]
    pub(crate) asm: bool,
}

/// What runs a transformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    /// The interpreter, and native code where there is so much to do that making it pays.
    Auto,
    /// The interpreter.
    Interp,
    /// Native code where it can be made, the interpreter otherwise.
    Jit,
    /// Both, compared; slow.
    Verify,
}

impl Tier {
    pub(crate) fn get(self, threshold: Option<u64>) -> Tiering {
        let adaptive = Tiering::adaptive();
        match self {
            Tier::Auto => threshold.map_or(adaptive.clone(), |bytes| adaptive.threshold(bytes)).into(),
            Tier::Interp => Tiering::interpreter(),
            Tier::Jit => Tiering::eager(),
            Tier::Verify => Tiering::verify(),
        }
    }
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

#[derive(ClapArgs, Debug)]
pub(crate) struct Count {
    /// Container files; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Decode every record, and do not only believe the headers of blocks.
    #[arg(long)]
    pub(crate) decode: bool,
    /// Deepest nesting of records, arrays and maps, at most 256. Default 64.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256), requires = "decode")]
    pub(crate) max_depth: Option<u32>,
    /// Accept names that the specification forbids.
    #[arg(long)]
    pub(crate) lenient_names: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Meta {
    /// Container files; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the value of one key, as it is.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Form of the output. Where a value is not UTF-8, json has its bytes as code points.
    #[arg(long, value_enum, default_value_t = Form::Text, conflicts_with = "key")]
    pub(crate) format: Form,
}

/// Form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Text,
    Json,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Check {
    /// Versions of a schema from old to new: .avsc or container files. The newest is judged against the one before.
    #[arg(required = true, num_args = 2.., value_name = "SCHEMA")]
    pub(crate) versions: Vec<PathBuf>,
    /// What the newest must do.
    #[arg(long, value_enum, ignore_case = true, default_value_t = Level::Backward)]
    pub(crate) level: Level,
    /// Judge against all versions before, not only the last.
    #[arg(long)]
    pub(crate) transitive: bool,
    /// Judge each version in its turn, not only the newest.
    #[arg(long)]
    pub(crate) each: bool,
    /// Format of the data: of JSON it is told where variants of unions look alike.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) data: crate::ends::Data,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub(crate) format: Form,
    #[command(flatten)]
    pub(crate) rules: Rules,
}

/// Compatibility of a version with one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// Anything goes, as long as the schemas are valid.
    None,
    /// The new one reads data of the old one.
    Backward,
    /// The old one reads data of the new one.
    Forward,
    /// Both.
    Full,
}

impl Level {
    pub(crate) fn is_backward(self) -> bool {
        matches!(self, Level::Backward | Level::Full)
    }

    pub(crate) fn is_forward(self) -> bool {
        matches!(self, Level::Forward | Level::Full)
    }
}

fn block_bytes(text: &str) -> Result<usize, String> {
    // Larger blocks are refused by readers, and hold many values in memory.
    match text.parse() {
        Ok(n) if (1..=64 << 20).contains(&n) => Ok(n),
        _ => Err("expected a number of 1 to 67108864".into()),
    }
}

/// What happens where data are bad.
#[derive(Clone, Debug)]
pub(crate) enum OnError {
    Fail,
    Skip,
    Dlq(PathBuf),
}

impl std::str::FromStr for OnError {
    type Err = String;

    fn from_str(text: &str) -> Result<OnError, String> {
        match text {
            "fail" => Ok(OnError::Fail),
            "skip" => Ok(OnError::Skip),
            _ => match text.strip_prefix("dlq=") {
                Some(path) if !path.is_empty() => Ok(OnError::Dlq(path.into())),
                _ => Err("expected fail, skip or dlq=FILE".into()),
            },
        }
    }
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
