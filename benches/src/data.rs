//! Workloads: seeded generators, schemas, and the structs that peers decode into.
//!
//! The six-field records are those of Java Avro's performance suite; the order event, the 200 nullable fields and the
//! change-data envelope are made to look like what topics carry.
#![allow(missing_docs, reason = "fields are named as the schemas name them")]

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::ByteBuf;
use std::collections::HashMap;
pub struct Rng(u64);
impl Rng {
    pub fn new(s: u64) -> Self {
        Rng(s)
    }
    pub fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.u64() % n
    }
    pub fn f64(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn chance(&mut self, p: f64) -> bool {
        self.f64() < p
    }
    pub fn alpha(&mut self, n: usize) -> String {
        (0..n).map(|_| (b'a' + self.below(25) as u8) as char).collect()
    }
    pub fn pick<'a, T>(&mut self, v: &'a [T]) -> &'a T {
        let i = self.below(v.len() as u64) as usize;
        &v[i]
    }
    pub fn uuid(&mut self) -> String {
        let a = self.u64();
        let b = self.u64();
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            (a >> 32) as u32,
            (a >> 16) as u16,
            a & 0xfff,
            0x8000 | ((b >> 48) & 0x3fff),
            b & 0xffff_ffff_ffff
        )
    }
}
// ---- encoder primitives
pub fn put_long(o: &mut Vec<u8>, v: i64) {
    let mut z = ((v << 1) ^ (v >> 63)) as u64;
    while z >= 0x80 {
        o.push((z as u8) | 0x80);
        z >>= 7;
    }
    o.push(z as u8);
}
pub fn put_str(o: &mut Vec<u8>, s: &str) {
    put_long(o, s.len() as i64);
    o.extend_from_slice(s.as_bytes());
}
pub fn put_bytes(o: &mut Vec<u8>, s: &[u8]) {
    put_long(o, s.len() as i64);
    o.extend_from_slice(s);
}

pub struct Data {
    pub name: &'static str,
    pub schema: String,
    pub buf: Vec<u8>,
    pub off: Vec<usize>,
    pub n: usize,
}
impl Data {
    pub fn mean(&self) -> f64 {
        self.buf.len() as f64 / self.n as f64
    }
    pub fn rec(&self, i: usize) -> &[u8] {
        &self.buf[self.off[i]..self.off[i + 1]]
    }
    pub fn build(name: &'static str, schema: &str, n: usize, mut f: impl FnMut(&mut Vec<u8>)) -> Self {
        let mut buf = vec![];
        let mut off = vec![0];
        for _ in 0..n {
            f(&mut buf);
            off.push(buf.len());
        }
        Data { name, schema: schema.into(), buf, off, n }
    }
}
// ---- Java Perf suite
pub const GT: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":"double"},{"name":"f2","type":"double"},{"name":"f3","type":"double"},{"name":"f4","type":"int"},{"name":"f5","type":"int"},{"name":"f6","type":"int"}]}"#;
pub const GT_DEFAULT: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":"double"},{"name":"f2","type":"double"},{"name":"f3","type":"double"},{"name":"f4","type":"int"},{"name":"f5","type":"int"},{"name":"f6","type":"int"},{"name":"f7","type":"string","default":"undefined"},{"name":"f8","type":"string","default":"undefined"}]}"#;
pub const GT_OOO: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":"double"},{"name":"f3","type":"double"},{"name":"f5","type":"int"},{"name":"f2","type":"double"},{"name":"f4","type":"int"},{"name":"f6","type":"int"}]}"#;
pub const GT_PROMO: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":"double"},{"name":"f2","type":"double"},{"name":"f3","type":"double"},{"name":"f4","type":"long"},{"name":"f5","type":"long"},{"name":"f6","type":"long"}]}"#;
pub const GTF: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":"float"},{"name":"f2","type":"float"},{"name":"f3","type":"float"},{"name":"f4","type":"int"},{"name":"f5","type":"int"},{"name":"f6","type":"int"}]}"#;
pub const GN: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":{"type":"record","name":"D","fields":[{"name":"dbl","type":"double"}]}},{"name":"f2","type":"D"},{"name":"f3","type":"D"},{"name":"f4","type":"int"},{"name":"f5","type":"int"},{"name":"f6","type":"int"}]}"#;
pub const GS: &str = r#"{"type":"record","name":"R","fields":[{"name":"f1","type":"string"},{"name":"f2","type":"string"},{"name":"f3","type":"string"}]}"#;
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "R")]
pub struct Gt {
    pub f1: f64,
    pub f2: f64,
    pub f3: f64,
    pub f4: i32,
    pub f5: i32,
    pub f6: i32,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "R")]
pub struct GtL {
    pub f1: f64,
    pub f2: f64,
    pub f3: f64,
    pub f4: i64,
    pub f5: i64,
    pub f6: i64,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "R")]
pub struct GtO {
    pub f1: f64,
    pub f3: f64,
    pub f5: i32,
    pub f2: f64,
    pub f4: i32,
    pub f6: i32,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "R")]
pub struct GtD {
    pub f1: f64,
    pub f2: f64,
    pub f3: f64,
    pub f4: i32,
    pub f5: i32,
    pub f6: i32,
    #[serde(default = "undef")]
    pub f7: String,
    #[serde(default = "undef")]
    pub f8: String,
}
fn undef() -> String {
    "undefined".into()
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "D")]
pub struct Dd {
    pub dbl: f64,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "R")]
pub struct Gn {
    pub f1: Dd,
    pub f2: Dd,
    pub f3: Dd,
    pub f4: i32,
    pub f5: i32,
    pub f6: i32,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "R")]
pub struct Gs<S> {
    pub f1: S,
    pub f2: S,
    pub f3: S,
}
pub fn gt(n: usize) -> Data {
    let mut r = Rng::new(19781210);
    Data::build("GenericTest", GT, n, |o| {
        for _ in 0..3 {
            o.extend_from_slice(&r.f64().to_le_bytes());
        }
        for _ in 0..3 {
            put_long(o, r.u64() as i32 as i64);
        }
    })
}
pub fn gtf(n: usize) -> Data {
    let mut r = Rng::new(19781211);
    Data::build("GenericFloat", GTF, n, |o| {
        for _ in 0..3 {
            o.extend_from_slice(&(r.f64() as f32).to_le_bytes());
        }
        for _ in 0..3 {
            put_long(o, r.u64() as i32 as i64);
        }
    })
}
pub fn gn(n: usize) -> Data {
    let mut d = gt(n);
    d.name = "GenericNested";
    d.schema = GN.into();
    d
}
pub fn gs(n: usize) -> Data {
    let mut r = Rng::new(77);
    Data::build("GenericStrings", GS, n, |o| {
        for _ in 0..3 {
            let l = r.below(70) as usize;
            let s = r.alpha(l);
            put_str(o, &s);
        }
    })
}
// ---- R1
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Ev {
    Created,
    Paid,
    Shipped,
    Delivered,
    Cancelled,
    Refunded,
}
pub const EV: [Ev; 6] = [Ev::Created, Ev::Paid, Ev::Shipped, Ev::Delivered, Ev::Cancelled, Ev::Refunded];
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "LineItem")]
pub struct Line<S> {
    pub sku: S,
    pub name: S,
    pub qty: i32,
    pub unit_price_cents: i64,
    pub discount_pct: Option<f32>,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Address")]
pub struct Addr<S> {
    pub street: S,
    pub city: S,
    pub zip: S,
    pub country: S,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "OrderEvent")]
pub struct Order<S, B, M> {
    pub event_id: S,
    pub order_id: S,
    pub customer_id: S,
    pub session_id: Option<S>,
    pub event_type: Ev,
    pub event_time: i64,
    pub created_at: i64,
    pub currency: S,
    pub total: B,
    pub tax: Option<B>,
    pub discount: Option<f64>,
    pub item_count: i32,
    pub items: Vec<Line<S>>,
    pub shipping_address: Option<Addr<S>>,
    pub channel: Option<S>,
    pub coupon_code: Option<S>,
    pub priority: bool,
    pub retries: i32,
    pub trace_id: S,
    pub attributes: M,
    pub notes: Option<S>,
}
pub type OrderO = Order<String, ByteBuf, HashMap<String, String>>;
pub type OrderB<'a> = Order<&'a str, &'a serde_bytes::Bytes, VecMap<&'a str>>;
pub type OrderJ<'a> = Order<&'a str, &'a str, VecMap<&'a str>>; // decimals as JSON strings
// evolved: drop session_id, retries; reorder; item_count,qty int->long; discount_pct float->double; +source,+tags
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "LineItem")]
pub struct LineE<S> {
    pub sku: S,
    pub name: S,
    pub qty: i64,
    pub unit_price_cents: i64,
    pub discount_pct: Option<f64>,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "OrderEvent")]
pub struct OrderE<S, B, M> {
    pub event_type: Ev,
    pub event_time: i64,
    pub event_id: S,
    pub order_id: S,
    pub customer_id: S,
    pub total: B,
    pub tax: Option<B>,
    pub currency: S,
    pub item_count: i64,
    pub items: Vec<LineE<S>>,
    pub attributes: M,
    pub shipping_address: Option<Addr<S>>,
    pub channel: Option<S>,
    pub coupon_code: Option<S>,
    pub discount: Option<f64>,
    pub priority: bool,
    pub trace_id: S,
    pub created_at: i64,
    pub notes: Option<S>,
    #[serde(default = "Option::default")]
    pub source: Option<S>,
    #[serde(default)]
    pub tags: Vec<S>,
}
#[derive(Clone, Debug, PartialEq)]
pub struct VecMap<S>(pub Vec<(S, S)>);
impl<'de, S: Deserialize<'de>> Deserialize<'de> for VecMap<S> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V<S>(std::marker::PhantomData<S>);
        impl<'de, S: Deserialize<'de>> serde::de::Visitor<'de> for V<S> {
            type Value = VecMap<S>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("map")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut a: A) -> Result<VecMap<S>, A::Error> {
                let mut v = Vec::with_capacity(a.size_hint().unwrap_or(0));
                while let Some(kv) = a.next_entry()? {
                    v.push(kv);
                }
                Ok(VecMap(v))
            }
        }
        d.deserialize_map(V(std::marker::PhantomData))
    }
}
impl<S: Serialize> Serialize for VecMap<S> {
    fn serialize<Z: Serializer>(&self, s: Z) -> Result<Z::Ok, Z::Error> {
        s.collect_map(self.0.iter().map(|(k, v)| (k, v)))
    }
}
fn r1_schema(dec: bool) -> String {
    let d = if dec { r#"{"type":"bytes","logicalType":"decimal","precision":18,"scale":2}"# } else { r#""bytes""# };
    let ts = if dec { r#"{"type":"long","logicalType":"timestamp-millis"}"# } else { r#""long""# };
    format!(
        r#"{{"type":"record","name":"OrderEvent","namespace":"com.example.orders","fields":[{{"name":"event_id","type":"string"}},{{"name":"order_id","type":"string"}},{{"name":"customer_id","type":"string"}},{{"name":"session_id","type":["null","string"]}},{{"name":"event_type","type":{{"type":"enum","name":"EventType","symbols":["CREATED","PAID","SHIPPED","DELIVERED","CANCELLED","REFUNDED"]}}}},{{"name":"event_time","type":{ts}}},{{"name":"created_at","type":{ts}}},{{"name":"currency","type":"string"}},{{"name":"total","type":{d}}},{{"name":"tax","type":["null",{d}]}},{{"name":"discount","type":["null","double"]}},{{"name":"item_count","type":"int"}},{{"name":"items","type":{{"type":"array","items":{{"type":"record","name":"LineItem","fields":[{{"name":"sku","type":"string"}},{{"name":"name","type":"string"}},{{"name":"qty","type":"int"}},{{"name":"unit_price_cents","type":"long"}},{{"name":"discount_pct","type":["null","float"]}}]}}}}}},{{"name":"shipping_address","type":["null",{{"type":"record","name":"Address","fields":[{{"name":"street","type":"string"}},{{"name":"city","type":"string"}},{{"name":"zip","type":"string"}},{{"name":"country","type":"string"}}]}}]}},{{"name":"channel","type":["null","string"]}},{{"name":"coupon_code","type":["null","string"]}},{{"name":"priority","type":"boolean"}},{{"name":"retries","type":"int"}},{{"name":"trace_id","type":"string"}},{{"name":"attributes","type":{{"type":"map","values":"string"}}}},{{"name":"notes","type":["null","string"]}}]}}"#
    )
}
pub fn r1s() -> String {
    r1_schema(true)
}
pub fn r1raw() -> String {
    r1_schema(false)
}
fn r1e_schema(dec: bool) -> String {
    let d = if dec { r#"{"type":"bytes","logicalType":"decimal","precision":18,"scale":2}"# } else { r#""bytes""# };
    let ts = if dec { r#"{"type":"long","logicalType":"timestamp-millis"}"# } else { r#""long""# };
    format!(
        r#"{{"type":"record","name":"OrderEvent","namespace":"com.example.orders","fields":[{{"name":"event_type","type":{{"type":"enum","name":"EventType","symbols":["CREATED","PAID","SHIPPED","DELIVERED","CANCELLED","REFUNDED","EXPIRED"]}}}},{{"name":"event_time","type":{ts}}},{{"name":"event_id","type":"string"}},{{"name":"order_id","type":"string"}},{{"name":"customer_id","type":"string"}},{{"name":"total","type":{d}}},{{"name":"tax","type":["null",{d}]}},{{"name":"currency","type":"string"}},{{"name":"item_count","type":"long"}},{{"name":"items","type":{{"type":"array","items":{{"type":"record","name":"LineItem","fields":[{{"name":"sku","type":"string"}},{{"name":"name","type":"string"}},{{"name":"qty","type":"long"}},{{"name":"unit_price_cents","type":"long"}},{{"name":"discount_pct","type":["null","double"]}}]}}}}}},{{"name":"attributes","type":{{"type":"map","values":"string"}}}},{{"name":"shipping_address","type":["null",{{"type":"record","name":"Address","fields":[{{"name":"street","type":"string"}},{{"name":"city","type":"string"}},{{"name":"zip","type":"string"}},{{"name":"country","type":"string"}}]}}]}},{{"name":"channel","type":["null","string"]}},{{"name":"coupon_code","type":["null","string"]}},{{"name":"discount","type":["null","double"]}},{{"name":"priority","type":"boolean"}},{{"name":"trace_id","type":"string"}},{{"name":"created_at","type":{ts}}},{{"name":"notes","type":["null","string"]}},{{"name":"source","type":["null","string"],"default":null}},{{"name":"tags","type":{{"type":"array","items":"string"}},"default":[]}}]}}"#
    )
}
pub fn r1es() -> String {
    r1e_schema(true)
}
pub fn r1eraw() -> String {
    r1e_schema(false)
}
pub fn dec_bytes(v: i128) -> Vec<u8> {
    let b = v.to_be_bytes();
    let mut i = 0;
    while i < 15 {
        if (b[i] == 0 && b[i + 1] < 0x80) || (b[i] == 0xff && b[i + 1] >= 0x80) {
            i += 1
        } else {
            break;
        }
    }
    b[i..].to_vec()
}
pub fn orders(n: usize) -> Vec<OrderO> {
    let mut r = Rng::new(4242);
    let cities = ["Berlin", "São Paulo", "東京", "New York", "Lyon", "Zürich", "Austin", "Oslo"];
    let cur = ["EUR", "USD", "BRL", "JPY", "CHF"];
    let keys = ["utm_source", "utm_campaign", "device", "os", "app_version", "experiment", "region", "referrer"];
    (0..n)
        .map(|i| {
            let k = 1 + r.below(3) as usize;
            let items: Vec<_> = (0..k)
                .map(|_| Line {
                    sku: format!("SKU-{:07}", r.below(10_000_000)),
                    name: {
                        let l = 8 + r.below(16) as usize;
                        r.alpha(l)
                    },
                    qty: 1 + r.below(5) as i32,
                    unit_price_cents: 99 + r.below(50000) as i64,
                    discount_pct: if r.chance(0.3) { Some((r.below(50) as f32) / 2.0) } else { None },
                })
                .collect();
            let tot: i128 = items.iter().map(|l| l.qty as i128 * l.unit_price_cents as i128).sum();
            let mut attributes = HashMap::new();
            for _ in 0..2 + r.below(2) {
                let k = r.pick(&keys).to_string();
                let l = 4 + r.below(8) as usize;
                attributes.insert(k, r.alpha(l));
            }
            Order {
                event_id: r.uuid(),
                order_id: format!("ORD-{:010}", i),
                customer_id: format!("C{:08}", r.below(100_000_000)),
                session_id: if r.chance(0.6) { Some(r.uuid()) } else { None },
                event_type: *r.pick(&EV),
                event_time: 1_760_000_000_000 + r.below(10_000_000_000) as i64,
                created_at: 1_760_000_000_000 + r.below(10_000_000_000) as i64,
                currency: r.pick(&cur).to_string(),
                total: ByteBuf::from(dec_bytes(tot)),
                tax: if r.chance(0.8) { Some(ByteBuf::from(dec_bytes(tot / 5))) } else { None },
                discount: if r.chance(0.3) { Some((r.below(10000) as f64) / 100.0) } else { None },
                item_count: k as i32,
                items,
                shipping_address: if r.chance(0.7) {
                    Some(Addr {
                        street: format!("{} {}", 1 + r.below(200), {
                            let l = 6 + r.below(14) as usize;
                            r.alpha(l)
                        }),
                        city: r.pick(&cities).to_string(),
                        zip: format!("{:05}", r.below(100000)),
                        country: "DE".into(),
                    })
                } else {
                    None
                },
                channel: if r.chance(0.9) {
                    Some(r.pick(&["web", "ios", "android", "store"]).to_string())
                } else {
                    None
                },
                coupon_code: if r.chance(0.2) { Some(r.alpha(8).to_uppercase()) } else { None },
                priority: r.chance(0.1),
                retries: r.below(3) as i32,
                trace_id: format!("{:016x}{:016x}", r.u64(), r.u64()),
                attributes,
                notes: if r.chance(0.25) {
                    let l = 20 + r.below(60) as usize;
                    Some(r.alpha(l))
                } else {
                    None
                },
            }
        })
        .collect()
}
pub fn put_opt<T>(o: &mut Vec<u8>, v: &Option<T>, f: impl Fn(&mut Vec<u8>, &T)) {
    match v {
        None => o.push(0),
        Some(x) => {
            o.push(2);
            f(o, x)
        }
    }
}
pub fn enc_order(o: &mut Vec<u8>, r: &OrderO) {
    put_str(o, &r.event_id);
    put_str(o, &r.order_id);
    put_str(o, &r.customer_id);
    put_opt(o, &r.session_id, |o, s| put_str(o, s));
    put_long(o, r.event_type as i64);
    put_long(o, r.event_time);
    put_long(o, r.created_at);
    put_str(o, &r.currency);
    put_bytes(o, &r.total);
    put_opt(o, &r.tax, |o, b| put_bytes(o, b));
    put_opt(o, &r.discount, |o, d| o.extend_from_slice(&d.to_le_bytes()));
    put_long(o, r.item_count as i64);
    if !r.items.is_empty() {
        put_long(o, r.items.len() as i64);
        for l in &r.items {
            put_str(o, &l.sku);
            put_str(o, &l.name);
            put_long(o, l.qty as i64);
            put_long(o, l.unit_price_cents);
            put_opt(o, &l.discount_pct, |o, d| o.extend_from_slice(&d.to_le_bytes()));
        }
    }
    o.push(0);
    put_opt(o, &r.shipping_address, |o, a| {
        put_str(o, &a.street);
        put_str(o, &a.city);
        put_str(o, &a.zip);
        put_str(o, &a.country)
    });
    put_opt(o, &r.channel, |o, s| put_str(o, s));
    put_opt(o, &r.coupon_code, |o, s| put_str(o, s));
    o.push(r.priority as u8);
    put_long(o, r.retries as i64);
    put_str(o, &r.trace_id);
    if !r.attributes.is_empty() {
        put_long(o, r.attributes.len() as i64);
        let mut ks: Vec<_> = r.attributes.iter().collect();
        ks.sort();
        for (k, v) in ks {
            put_str(o, k);
            put_str(o, v);
        }
    }
    o.push(0);
    put_opt(o, &r.notes, |o, s| put_str(o, s));
}
pub fn r1(n: usize) -> Data {
    let v = orders(n);
    let mut i = 0;
    Data::build("R1-order", &r1s(), n, |o| {
        enc_order(o, &v[i]);
        i += 1;
    })
}
// ---- R2
pub const R2N: usize = 200;
pub fn r2_schema(idx: &[usize]) -> String {
    let t = ["int", "long", "double", "float", "boolean", "string"];
    let f: Vec<String> =
        idx.iter().map(|i| format!(r#"{{"name":"f{i:03}","type":["null","{}"],"default":null}}"#, t[i % 6])).collect();
    format!(r#"{{"type":"record","name":"Wide","fields":[{}]}}"#, f.join(","))
}
pub fn r2s() -> String {
    r2_schema(&(0..R2N).collect::<Vec<_>>())
}
pub const R2P: [usize; 10] = [3, 24, 41, 62, 83, 100, 121, 143, 166, 197];
// types: 3 float, 24 int, 41 string, 62 double, 83 string, 100 boolean, 121 long, 143 string, 166 boolean, 197 string
pub fn r2p() -> String {
    r2_schema(&R2P)
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Wide")]
pub struct WideP<S> {
    pub f003: Option<f32>,
    pub f024: Option<i32>,
    pub f041: Option<S>,
    pub f062: Option<f64>,
    pub f083: Option<S>,
    pub f100: Option<bool>,
    pub f121: Option<i64>,
    pub f143: Option<S>,
    pub f166: Option<bool>,
    pub f197: Option<S>,
}
pub fn r2(n: usize) -> Data {
    let mut r = Rng::new(99);
    Data::build("R2-wide200", &r2s(), n, |o| {
        for i in 0..R2N {
            if r.chance(0.3) {
                o.push(0);
                continue;
            }
            o.push(2);
            match i % 6 {
                0 => {
                    let b = 4 + r.below(20);
                    let v = r.below(1 << b) as i64;
                    put_long(o, v)
                }
                1 => put_long(o, 1_700_000_000_000 + r.below(1 << 30) as i64),
                2 => o.extend_from_slice(&(r.f64() * 1000.0).to_le_bytes()),
                3 => o.extend_from_slice(&((r.f64() * 100.0) as f32).to_le_bytes()),
                4 => o.push(r.below(2) as u8),
                _ => {
                    let l = 3 + r.below(12) as usize;
                    let s = r.alpha(l);
                    put_str(o, &s)
                }
            }
        }
    })
}
// ---- R3
pub const R3: &str = r#"{"type":"record","name":"Envelope","namespace":"inv.customers","fields":[{"name":"before","type":["null",{"type":"record","name":"Value","fields":[{"name":"id","type":"int"},{"name":"first_name","type":"string"},{"name":"last_name","type":"string"},{"name":"email","type":["null","string"],"default":null},{"name":"balance","type":["null","double"],"default":null},{"name":"updated_at","type":"long"}]}],"default":null},{"name":"after","type":["null","Value"],"default":null},{"name":"source","type":{"type":"record","name":"Source","fields":[{"name":"version","type":"string"},{"name":"connector","type":"string"},{"name":"name","type":"string"},{"name":"ts_ms","type":"long"},{"name":"snapshot","type":["null","string"],"default":null},{"name":"db","type":"string"},{"name":"schema","type":"string"},{"name":"table","type":"string"},{"name":"txId","type":["null","long"],"default":null},{"name":"lsn","type":["null","long"],"default":null}]}},{"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"],"default":null}]}"#;
// reader: keeps after + op + ts_ms + source.{db,table,lsn}; id int->long; adds after.deleted boolean default false
pub const R3E: &str = r#"{"type":"record","name":"Envelope","namespace":"inv.customers","fields":[{"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"],"default":null},{"name":"after","type":["null",{"type":"record","name":"Value","fields":[{"name":"id","type":"long"},{"name":"first_name","type":"string"},{"name":"last_name","type":"string"},{"name":"email","type":["null","string"],"default":null},{"name":"updated_at","type":"long"},{"name":"deleted","type":"boolean","default":false}]}],"default":null},{"name":"source","type":{"type":"record","name":"Source","fields":[{"name":"db","type":"string"},{"name":"table","type":"string"},{"name":"lsn","type":["null","long"],"default":null}]}}]}"#;
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Value")]
pub struct Cust<S> {
    pub id: i32,
    pub first_name: S,
    pub last_name: S,
    pub email: Option<S>,
    pub balance: Option<f64>,
    pub updated_at: i64,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(non_snake_case)]
#[serde(rename = "Source")]
pub struct Src<S> {
    pub version: S,
    pub connector: S,
    pub name: S,
    pub ts_ms: i64,
    pub snapshot: Option<S>,
    pub db: S,
    pub schema: S,
    pub table: S,
    pub txId: Option<i64>,
    pub lsn: Option<i64>,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Envelope")]
pub struct Env<S> {
    pub before: Option<Cust<S>>,
    pub after: Option<Cust<S>>,
    pub source: Src<S>,
    pub op: S,
    pub ts_ms: Option<i64>,
}
pub fn r3(n: usize) -> Data {
    let mut r = Rng::new(7);
    Data::build("R3-debezium", R3, n, |o| {
        let op = r.below(10);
        let (b, a) = match op {
            0 | 1 => (false, true),
            2 => (true, false),
            _ => (true, true),
        };
        let id = r.below(1_000_000) as i64;
        for p in [b, a] {
            if !p {
                o.push(0);
                continue;
            }
            o.push(2);
            put_long(o, id);
            for _ in 0..2 {
                let l = 4 + r.below(8) as usize;
                let s = r.alpha(l);
                put_str(o, &s);
            }
            if r.chance(0.8) {
                o.push(2);
                let l = 10 + r.below(14) as usize;
                let s = r.alpha(l) + "@ex.com";
                put_str(o, &s)
            } else {
                o.push(0)
            }
            if r.chance(0.7) {
                o.push(2);
                o.extend_from_slice(&(r.f64() * 1e4).to_le_bytes())
            } else {
                o.push(0)
            }
            put_long(o, 1_760_000_000_000 + r.below(1 << 33) as i64);
        }
        put_str(o, "2.7.3.Final");
        put_str(o, "postgresql");
        put_str(o, "inventory-server");
        put_long(o, 1_760_000_000_000 + r.below(1 << 33) as i64);
        if r.chance(0.5) {
            o.push(2);
            put_str(o, "false")
        } else {
            o.push(0)
        }
        put_str(o, "inventory");
        put_str(o, "public");
        put_str(o, "customers");
        o.push(2);
        put_long(o, r.below(1 << 24) as i64);
        o.push(2);
        put_long(o, r.below(1 << 40) as i64);
        put_str(
            o,
            match op {
                0 | 1 => "c",
                2 => "d",
                _ => "u",
            },
        );
        o.push(2);
        put_long(o, 1_760_000_000_000 + r.below(1 << 33) as i64);
    })
}
