//! What is transformed, and what is promised of it.

use crate::peers::{self, Peer, Record};
use reschema::json::{Ending, JsonOptions, TimesAs};
use reschema::{Endpoint, Engine, Schema, Tiering};
use reschema_benches::data::{self, Data, GT, Gt, Order, Rng, VecMap};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Reads the values of an output, of which so many are expected.
pub(crate) type Values = Box<dyn Fn(&[u8], usize) -> Vec<Value>>;

pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// Records one after the other, and where each begins.
    pub(crate) input: Vec<u8>,
    pub(crate) offsets: Vec<usize>,
    pub(crate) from: Endpoint,
    pub(crate) to: Endpoint,
    pub(crate) peers: Vec<Peer>,
    /// So many records of the output as values.
    pub(crate) values: Values,
    /// How many times the compiled time the best of the others is to take.
    pub(crate) promised: f64,
}

impl Workload {
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn record(&self, i: usize) -> &[u8] {
        &self.input[self.offsets[i]..self.offsets[i + 1]]
    }
}

struct SixFields;

impl Record for SixFields {
    type Of<'a> = Gt;
}

/// Decimals as text, as it stands in JSON.
struct Orders;

impl Record for Orders {
    type Of<'a> = Order<&'a str, String, VecMap<&'a str>>;
}

type OwnedOrder = Order<String, String, HashMap<String, String>>;

fn avro(schema: &str) -> Endpoint {
    Endpoint::avro(&Schema::parse(schema).expect("a schema"))
}

/// A value a line, times as numbers: serde has no other.
fn json(schema: &str) -> Endpoint {
    let options = JsonOptions::PLAIN.times(TimesAs::Number).ending(Ending::Newline);
    Endpoint::json(&Schema::parse(schema).expect("a schema"), options)
}

fn transformed(from: Endpoint, to: Endpoint, input: &[u8], records: usize) -> Vec<u8> {
    let engine = Engine::builder().tiering(Tiering::interpreter()).build().expect("an engine");
    let mut out = Vec::new();
    let t = engine.transform(from, to).expect("resolves");
    t.run_many(input, records as u64, &mut out).expect("the engine runs");
    out
}

fn values_of_lines(text: &[u8], _: usize) -> Vec<Value> {
    serde_json::Deserializer::from_slice(text).into_iter().map(|v| v.expect("JSON")).collect()
}

fn values_of_avro(schema: String) -> Values {
    Box::new(move |bytes, records| {
        let text = transformed(avro(&schema), json(&schema), bytes, records);
        values_of_lines(&text, records)
    })
}

/// Where lines begin, and the end of the last.
fn lines(text: &[u8]) -> Vec<usize> {
    let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
    [0].into_iter().chain(ends).collect()
}

/// The same values, the keys of each object in an order by chance.
fn shuffled(text: &[u8]) -> Vec<u8> {
    let mut random = Rng::new(7);
    let mut out = Vec::with_capacity(text.len());
    for value in values_of_lines(text, 0) {
        write(&value, &mut random, &mut out);
        out.push(b'\n');
    }
    out
}

fn write(value: &Value, random: &mut Rng, out: &mut Vec<u8>) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            for i in (1..fields.len()).rev() {
                fields.swap(i, random.below(i as u64 + 1) as usize);
            }
            list(b"{}", &fields, out, |(key, value), out| {
                serde_json::to_writer(&mut *out, key).expect("writes");
                out.push(b':');
                write(value, random, out);
            });
        }
        Value::Array(items) => list(b"[]", items, out, |item, out| write(item, random, out)),
        other => serde_json::to_writer(out, other).expect("writes"),
    }
}

fn list<T>(brackets: &[u8; 2], items: &[T], out: &mut Vec<u8>, mut each: impl FnMut(&T, &mut Vec<u8>)) {
    out.push(brackets[0]);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        each(item, out);
    }
    out.push(brackets[1]);
}

/// As the reader's schema wants an order event: two fields dropped, one renamed, others in another order.
fn reshaped(mut order: Map<String, Value>) -> Value {
    order.remove("session_id");
    order.remove("retries");
    if let Some(channel) = order.remove("channel") {
        order.insert("sales_channel".into(), channel);
    }
    Value::Object(order)
}

const WANTED: &str = r#"{"type":"record","name":"OrderEvent","namespace":"com.example.orders","fields":[{"name":"event_type","type":{"type":"enum","name":"EventType","symbols":["CREATED","PAID","SHIPPED","DELIVERED","CANCELLED","REFUNDED"]}},{"name":"event_time","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"event_id","type":"string"},{"name":"order_id","type":"string"},{"name":"customer_id","type":"string"},{"name":"total","type":{"type":"bytes","logicalType":"decimal","precision":18,"scale":2}},{"name":"tax","type":["null",{"type":"bytes","logicalType":"decimal","precision":18,"scale":2}]},{"name":"currency","type":"string"},{"name":"item_count","type":"int"},{"name":"items","type":{"type":"array","items":{"type":"record","name":"LineItem","fields":[{"name":"sku","type":"string"},{"name":"name","type":"string"},{"name":"qty","type":"int"},{"name":"unit_price_cents","type":"long"},{"name":"discount_pct","type":["null","float"]}]}}},{"name":"attributes","type":{"type":"map","values":"string"}},{"name":"shipping_address","type":["null",{"type":"record","name":"Address","fields":[{"name":"street","type":"string"},{"name":"city","type":"string"},{"name":"zip","type":"string"},{"name":"country","type":"string"}]}]},{"name":"sales_channel","aliases":["channel"],"type":["null","string"]},{"name":"coupon_code","type":["null","string"]},{"name":"discount","type":["null","double"]},{"name":"priority","type":"boolean"},{"name":"trace_id","type":"string"},{"name":"created_at","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"notes","type":["null","string"]}]}"#;

pub(crate) fn workloads(records: usize) -> Vec<Workload> {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let six = data::gt(records);
    let orders = data::r1(records);
    let order_schema = leak(data::r1s());
    let text = |d: &Data, schema: &str| transformed(avro(schema), json(schema), &d.buf, d.n);
    let (six_text, order_text) = (text(&six, GT), text(&orders, order_schema));
    let from_avro = |name, d: &Data, schema: &str, peers, promised| Workload {
        name,
        input: d.buf.clone(),
        offsets: d.off.clone(),
        from: avro(schema),
        to: json(schema),
        peers,
        values: Box::new(values_of_lines),
        promised,
    };
    let to_avro = |name, text: &[u8], schema: &str, peers, promised| Workload {
        name,
        input: text.to_vec(),
        offsets: lines(text),
        from: json(schema),
        to: avro(schema),
        peers,
        values: values_of_avro(schema.into()),
        promised,
    };
    let six_to = || peers::to_avro::<SixFields, Gt>(GT);
    let order_to = || peers::to_avro::<Orders, OwnedOrder>(order_schema);
    vec![
        from_avro("six fields, Avro to JSON", &six, GT, peers::from_avro::<SixFields>(GT), 1.4),
        from_avro("order event, Avro to JSON", &orders, order_schema, peers::from_avro::<Orders>(order_schema), 1.6),
        to_avro("six fields, JSON to Avro", &six_text, GT, six_to(), 2.5),
        to_avro("six fields, shuffled JSON to Avro", &shuffled(&six_text), GT, six_to(), 1.5),
        to_avro("order event, JSON to Avro", &order_text, order_schema, order_to(), 2.5),
        to_avro("order event, shuffled JSON to Avro", &shuffled(&order_text), order_schema, order_to(), 1.5),
        Workload {
            name: "order event, JSON reshaped",
            input: order_text.clone(),
            offsets: lines(&order_text),
            from: json(order_schema),
            to: json(WANTED),
            peers: peers::by_value(reshaped),
            values: Box::new(values_of_lines),
            promised: 3.0,
        },
    ]
}
