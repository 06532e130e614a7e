//! Converting a compressed file on two threads, against one: time that passes, and the same bytes.

use super::Options;
use super::files::{Folder, generate};
use reschema::container::{Codec, Reader, Writer, WriterOptions};
use reschema::convert::Converter;
use reschema::{Engine, Schema};
use reschema_benches::data;
use reschema_benches::measure::median;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) fn measure(o: &Options) {
    println!("threads: time on one thread / time on two");
    let mut orders = data::r1(10_000);
    orders.schema = data::r1raw();
    let folder = Folder::new();
    let reader = Schema::parse(&data::r1eraw()).expect("a schema");
    for name in Codec::NAMES {
        // Slow codecs get less to do.
        let share = match *name {
            "deflate" => 4,
            "xz" | "bzip2" => 50,
            _ => 2,
        };
        let codec = Codec::by_name(name).expect("a codec");
        let input = folder.path("in.avro");
        generate(&input, &orders, codec, (o.mb * 1_000_000 / share).max(4_000_000));
        let (mut ratios, mut one) = (Vec::new(), Vec::new());
        for _ in 0..o.rounds {
            let (alone, bytes) = run(&input, &reader, codec, 1);
            let (together, same) = run(&input, &reader, codec, 2);
            assert!(bytes == same, "{name}: one thread and two give different files");
            ratios.push(alone.as_secs_f64() / together.as_secs_f64());
            one.push(alone.as_secs_f64());
        }
        println!("  {name}: {:.2} ({:.2} s on one)", median(ratios), median(one));
    }
}

fn run(input: &Path, reader: &Schema, codec: Codec, threads: usize) -> (Duration, Vec<u8>) {
    let options = WriterOptions { codec, sync: Some([7; 16]), ..WriterOptions::default() };
    let mut output = Writer::new(Vec::new(), reader, options).expect("a header");
    let file = Reader::new(File::open(input).expect("a file")).expect("a header");
    let start = Instant::now();
    let converter = Converter::new(&Engine::default(), reader).threads(threads);
    converter.run(file, &mut output, &mut ()).expect("converts");
    (start.elapsed(), output.finish().expect("the end"))
}
