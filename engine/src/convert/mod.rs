//! Container files under another schema: block by block, on as many threads as wanted, with damage handled.
//!
//! ```
//! use reschema::container::{Reader, Writer, WriterOptions};
//! use reschema::convert::{Converter, OnDamage};
//! use reschema::{Engine, Schema};
//!
//! # fn file() -> Vec<u8> {
//! #     let schema = Schema::parse("\"int\"").unwrap();
//! #     let mut w = Writer::new(Vec::new(), &schema, WriterOptions::default()).unwrap();
//! #     w.append_values(3, &[2, 4, 6]).unwrap();
//! #     w.finish().unwrap()
//! # }
//! let wanted = Schema::parse("\"long\"")?;
//! let converter = Converter::new(&Engine::default(), &wanted).threads(2).on_damage(OnDamage::Skip);
//! let mut output = Writer::new(Vec::new(), &wanted, WriterOptions::default())?;
//! let report = converter.run(Reader::new(file().as_slice())?, &mut output, &mut ())?;
//! assert_eq!((report.records, report.damages), (3, 0));
//! let bytes = output.finish()?;
//! # assert!(bytes.len() > 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod damage;
mod dead_letters;
mod ordered;
mod worker;

pub use damage::{Cause, Damage, Lost};
pub use dead_letters::DeadLetters;

use crate::container::{ContainerError, Reader, Writer};
use crate::engine::Engine;
use crate::error::Error;
use crate::formats::Endpoint;
use crate::transform::Transform;
use reschema_schema::Schema;
use std::fmt;
use std::io::{self, Read, Write};

/// What happens where a file is damaged, or a value does not resolve.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnDamage {
    /// The conversion ends; what came before is written.
    #[default]
    Fail,
    /// The smallest part that can be told apart is left out, and the conversion goes on: a value whose framing is
    /// sound; otherwise the rest of its block; a block that does not decompress; the bytes up to the next sync marker.
    Skip,
}

/// Converts container files to one schema.
#[derive(Clone)]
pub struct Converter {
    engine: Engine,
    reader: Schema,
    threads: usize,
    on_damage: OnDamage,
}

/// What a conversion has done. Numbers that are too large stay at the largest.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Values written.
    pub records: u64,
    /// Bytes of the input file read.
    pub bytes_read: u64,
    /// Places left out.
    pub damages: u64,
    /// Values left out, as far as their number is known.
    pub records_lost: u64,
    /// Bytes left out: of values, or of the file where no values could be made out.
    pub bytes_lost: u64,
}

/// Hears of a conversion, in the order of the input. `()` hears nothing.
pub trait Watch: Send {
    /// Some more is done.
    fn progress(&mut self, report: &Report) {
        let _ = report;
    }

    /// A part is left out.
    ///
    /// # Errors
    /// The conversion ends with the error.
    fn damage(&mut self, damage: &Damage) -> io::Result<()> {
        let _ = damage;
        Ok(())
    }

    /// Whether [`Damage::bytes`] are wanted.
    fn wants_bytes(&self) -> bool {
        false
    }
}

impl Watch for () {}

/// Why a conversion ended early. What came before in the order of the input is written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertError {
    /// The file's schema does not resolve to the wanted one.
    Resolve(Error),
    /// The file is damaged, or a value does not resolve.
    Damage(Box<Damage>),
    /// The output cannot be written.
    Output(ContainerError),
    /// The [`Watch`] failed.
    Watch(io::Error),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Resolve(e) => e.fmt(f),
            ConvertError::Damage(d) => d.fmt(f),
            ConvertError::Output(e) => e.fmt(f),
            ConvertError::Watch(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConvertError::Resolve(e) => Some(e),
            ConvertError::Damage(d) => match &d.cause {
                Cause::Value(e) => Some(e),
                Cause::Container(e) => Some(e),
                Cause::Leftover => None,
            },
            ConvertError::Output(e) => Some(e),
            ConvertError::Watch(e) => Some(e),
        }
    }
}

/// A stretch of a file that is converted in one go: this many bytes as stored, and the block that goes beyond. Blocks of
/// the output do not reach across, so that they are the same on any number of threads.
const UNIT_BYTES: usize = 512 << 10;
/// Blocks of a stretch, where they are small.
const UNIT_BLOCKS: usize = 4096;

impl Converter {
    /// Most threads.
    pub const MAX_THREADS: usize = 256;

    /// To a schema, on one thread; damage ends the conversion.
    pub fn new(engine: &Engine, reader: &Schema) -> Converter {
        Converter { engine: engine.clone(), reader: reader.clone(), threads: 1, on_damage: OnDamage::Fail }
    }

    /// Threads that unpack, transform and pack, at least 1 and at most [`Converter::MAX_THREADS`]. The output is the same
    /// on any number, and if the system has fewer than asked for.
    pub fn threads(mut self, threads: usize) -> Converter {
        self.threads = threads.clamp(1, Converter::MAX_THREADS);
        self
    }

    /// What happens where a file is damaged.
    pub fn on_damage(mut self, on_damage: OnDamage) -> Converter {
        self.on_damage = on_damage;
        self
    }

    /// The transform for files of a schema.
    ///
    /// # Errors
    /// The schemas do not resolve.
    pub fn transform(&self, writer: &Schema) -> Result<Transform, Error> {
        self.engine.transform(Endpoint::avro(writer), Endpoint::avro(&self.reader))
    }

    /// Converts a file behind what `output` holds already. Memory is bounded by the largest block and the threads.
    ///
    /// # Errors
    /// See [`ConvertError`]; on several threads it is the error that comes first in the input.
    pub fn run<R: Read + Send, W: Write + Send>(
        &self,
        input: Reader<R>,
        output: &mut Writer<W>,
        watch: &mut dyn Watch,
    ) -> Result<Report, ConvertError> {
        let transform = self.transform(input.schema()).map_err(ConvertError::Resolve)?;
        // What is pending is a block of its own, however many threads there are.
        output.flush_block().map_err(ConvertError::Output)?;
        let file = ordered::File::new(input, self.on_damage, watch.wants_bytes());
        if self.threads == 1 {
            ordered::alone(file, &transform, output, watch)
        } else {
            ordered::together(self.threads, file, &transform, output, watch)
        }
    }
}

/// Bytes of a damage that are kept at most.
const KEPT_BYTES: usize = 16 << 20;

impl Report {
    /// Adds what was done with another file.
    pub fn add(&mut self, other: &Report) {
        for (sum, more) in [
            (&mut self.records, other.records),
            (&mut self.bytes_read, other.bytes_read),
            (&mut self.damages, other.damages),
            (&mut self.records_lost, other.records_lost),
            (&mut self.bytes_lost, other.bytes_lost),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    fn lose(&mut self, damage: &Damage) {
        let (records_lost, bytes_lost) = (damage.records.unwrap_or(0), damage.len);
        self.add(&Report { damages: 1, records_lost, bytes_lost, ..Report::default() });
    }
}
