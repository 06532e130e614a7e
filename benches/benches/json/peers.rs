//! The others: serde from end to end, one record at a time, into and from the leanest types that work.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_avro_fast::Schema;
use serde_avro_fast::ser::SerializerConfig;

/// Transforms a record into what it appends.
type Run = Box<dyn Fn(&[u8], &mut Vec<u8>)>;

/// A way to transform a record.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

fn peer(name: &'static str, run: impl Fn(&[u8], &mut Vec<u8>) + 'static) -> Peer {
    Peer { name, run: Box::new(run) }
}

/// A type that stands for records, borrowing what it can from the input.
pub(crate) trait Record {
    type Of<'a>: Serialize + serde::Deserialize<'a>;
}

fn schema(text: &str) -> Schema {
    text.parse().expect("a schema")
}

/// Avro to JSON lines.
pub(crate) fn from_avro<R: Record>(text: &'static str) -> Vec<Peer> {
    let (a, b, c, d) = (schema(text), schema(text), schema(text), schema(text));
    vec![
        peer("serde_avro_fast to struct, serde_json", move |input, out| {
            let value: R::Of<'_> = serde_avro_fast::from_datum_slice(input, &a).expect("reads");
            serde_json::to_writer(&mut *out, &value).expect("writes");
            out.push(b'\n');
        }),
        peer("serde_avro_fast to struct, sonic-rs", move |input, out| {
            let value: R::Of<'_> = serde_avro_fast::from_datum_slice(input, &b).expect("reads");
            sonic_rs::to_writer(&mut *out, &value).expect("writes");
            out.push(b'\n');
        }),
        peer("serde_avro_fast to struct, simd-json", move |input, out| {
            let value: R::Of<'_> = serde_avro_fast::from_datum_slice(input, &c).expect("reads");
            simd_json::to_writer(&mut *out, &value).expect("writes");
            out.push(b'\n');
        }),
        peer("serde_avro_fast transcoded to serde_json", move |input, out| {
            let mut state = serde_avro_fast::de::DeserializerState::from_slice(input, &d);
            let mut to = serde_json::Serializer::new(&mut *out);
            serde_transcode::transcode(state.deserializer(), &mut to).expect("transcodes");
            out.push(b'\n');
        }),
    ]
}

fn write<T: Serialize>(value: &T, out: &mut Vec<u8>, schema: &Schema) {
    let mut config = SerializerConfig::new(schema);
    let taken = std::mem::take(out);
    *out = serde_avro_fast::to_datum(value, taken, &mut config).expect("serde_avro_fast writes");
}

/// JSON to Avro. `O` owns what `R` borrows.
pub(crate) fn to_avro<R: Record, O: Serialize + DeserializeOwned>(text: &'static str) -> Vec<Peer> {
    let [a, b, c, d, e, f] = [(); 6].map(|()| schema(text));
    vec![
        peer("serde_json to owned struct, serde_avro_fast", move |input, out| {
            let value: O = serde_json::from_slice(input).expect("reads");
            write(&value, out, &a);
        }),
        peer("serde_json to borrowed struct, serde_avro_fast", move |input, out| {
            let value: R::Of<'_> = serde_json::from_slice(input).expect("reads");
            write(&value, out, &b);
        }),
        peer("sonic-rs to owned struct, serde_avro_fast", move |input, out| {
            let value: O = sonic_rs::from_slice(input).expect("reads");
            write(&value, out, &c);
        }),
        peer("sonic-rs to borrowed struct, serde_avro_fast", move |input, out| {
            let value: R::Of<'_> = sonic_rs::from_slice(input).expect("reads");
            write(&value, out, &d);
        }),
        peer("simd-json to owned struct, serde_avro_fast", move |input, out| {
            let mut copy = input.to_vec();
            let value: O = simd_json::from_slice(&mut copy).expect("reads");
            write(&value, out, &e);
        }),
        peer("serde_json transcoded to serde_avro_fast", move |input, out| {
            let mut from = serde_json::Deserializer::from_slice(input);
            let mut config = SerializerConfig::new(&f);
            let mut state = serde_avro_fast::ser::SerializerState::from_writer(std::mem::take(out), &mut config);
            serde_transcode::transcode(&mut from, state.serializer()).expect("transcodes");
            *out = state.into_writer();
        }),
    ]
}

/// JSON to JSON by values: `reshape` gets an object's fields and gives those that are wanted.
pub(crate) fn by_value(reshape: fn(serde_json::Map<String, serde_json::Value>) -> serde_json::Value) -> Vec<Peer> {
    vec![peer("serde_json::Value, reshaped, serde_json", move |input, out| {
        let value: serde_json::Value = serde_json::from_slice(input).expect("reads");
        let serde_json::Value::Object(fields) = value else { panic!("an object") };
        serde_json::to_writer(&mut *out, &reshape(fields)).expect("writes");
        out.push(b'\n');
    })]
}
