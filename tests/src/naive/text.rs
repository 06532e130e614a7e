//! JSON as plainly as it can be: a datum of Avro's binary encoding to JSON and back, value by value. Floats and strings
//! are written by `serde_json`; the rest is here.

use super::default::{bytes as put_bytes, long};
use super::json::Json;
use super::schema::{Kind, Schema};
use std::collections::BTreeSet;

/// How JSON is written and read.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Avro's encoding: unions tagged, bytes as code points, decimals as bytes.
    pub tagged: bool,
    /// Plain: bytes as code points too.
    pub latin: bool,
    /// A key without default that is missing is null where it may be.
    pub missing_is_null: bool,
    /// What becomes of NaN and infinities.
    pub specials: Specials,
    /// Which of the values of a key counts that comes twice.
    pub twice: Twice,
    /// Keys that the schema does not have are an error.
    pub known_only: bool,
}

/// What holds of a key that comes twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twice {
    /// It is an error.
    Refuse,
    /// The first counts.
    First,
    /// The last counts.
    Last,
}

impl Style {
    /// Plain JSON as is usual, times as numbers.
    pub const PLAIN: Style = Style {
        tagged: false,
        latin: false,
        missing_is_null: true,
        specials: Specials::Text,
        twice: Twice::Refuse,
        known_only: false,
    };

    /// Avro's encoding.
    pub const AVRO: Style = Style { tagged: true, latin: true, missing_is_null: false, ..Style::PLAIN };
}

/// What becomes of NaN and infinities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Strings.
    Text,
    /// There are none.
    Refuse,
    /// Null; null is NaN.
    Null,
}

/// A schema's values as JSON.
pub struct Text {
    schema: Schema,
    style: Style,
    depth: u32,
    /// Decimals are digits where unions are tagged too.
    digits: bool,
}

/// Why there is no JSON, or no value: the classes that an engine may report.
pub type Classes = BTreeSet<&'static str>;

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn to_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - part.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i)) as usize & 63];
            out.push(if i > part.len() { '=' } else { digit.into() });
        }
    }
    out
}

/// Padding may be missing, in part too.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let bare = text.trim_end_matches('=');
    let pad = text.len() - bare.len();
    if bare.len() % 4 == 1 || pad > (4 - bare.len() % 4) % 4 {
        return None;
    }
    let (mut bits, mut held, mut out) = (0u32, 0, vec![]);
    for c in bare.bytes() {
        bits = bits << 6 | DIGITS.iter().position(|d| *d == c)? as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(out)
}

fn from_latin(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// The digits of a decimal.
fn decimal_text(bytes: &[u8], precision: i128, scale: i128) -> Option<String> {
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let sign = if negative { 0xff } else { 0 };
    let rest: Vec<u8> = bytes.iter().copied().skip_while(|b| *b == sign).collect();
    if rest.len() > 15 {
        return None;
    }
    let value = rest.iter().fold(if negative { -1i128 } else { 0 }, |v, b| v << 8 | i128::from(*b));
    let digits = value.unsigned_abs().to_string();
    if value != 0 && digits.len() as i128 > precision {
        return None;
    }
    let digits = format!("{digits:0>width$}", width = scale as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
    let point = if scale > 0 { "." } else { "" };
    Some(format!("{}{whole}{point}{fraction}", if value < 0 { "-" } else { "" }))
}

/// The unscaled value of a decimal's text; `Err` is the class.
fn decimal_value(text: &str, precision: i128, scale: i128) -> Result<i128, &'static str> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let plain = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if !digits(whole) || !digits(fraction) || !digits(plain) {
        return Err("type");
    }
    let all = format!("{whole}{fraction}");
    let all = all.trim_start_matches('0');
    if all.is_empty() {
        return Ok(0);
    }
    let exponent: i64 = exponent.parse().map_err(|_| "range")?;
    let point = all.len() as i64 - fraction.len() as i64 + exponent + scale as i64;
    if !(0..=30).contains(&point) {
        return Err("range");
    }
    let kept = format!("{all:0<width$}", width = point as usize);
    let (kept, lost) = kept.split_at(point as usize);
    if lost.bytes().any(|b| b != b'0') || kept.len() as i128 > precision {
        return Err("range");
    }
    let value: i128 = if kept.is_empty() { 0 } else { kept.parse().map_err(|_| "range")? };
    Ok(if text.starts_with('-') { -value } else { value })
}

/// Two's complement in as few bytes as there can be, or in `size`.
fn decimal_bytes(value: i128, size: Option<u64>) -> Option<Vec<u8>> {
    let all = value.to_be_bytes();
    let sign = if value < 0 { 0xff } else { 0 };
    let mut from = 0;
    while from < 15 && all[from] == sign && (all[from + 1] & 0x80 != 0) == (value < 0) {
        from += 1;
    }
    let least = &all[from..];
    match size {
        None => Some(least.to_vec()),
        Some(size) if least.len() as u64 > size => None,
        Some(size) => Some([vec![sign; size as usize - least.len()], least.to_vec()].concat()),
    }
}

impl Text {
    /// Of a schema that is one.
    pub fn new(schema: &str, style: Style, depth: u32) -> Option<Text> {
        Some(Text { schema: Schema::parse(schema).ok()?, style, depth, digits: false })
    }

    /// A valid datum, so that two that mean the same look the same: variants told, decimals as digits.
    pub fn meaning(&self, datum: &[u8]) -> Option<String> {
        let style = Style { tagged: true, ..self.style };
        let schema = self.schema.clone();
        let text = Text { schema, style, depth: self.depth, digits: true };
        text.write(datum)
    }

    /// A valid datum as JSON; `None` if a decimal has too many digits, or a number has no text.
    pub fn write(&self, datum: &[u8]) -> Option<String> {
        let mut from = Datum { data: datum, at: 0 };
        self.show(self.schema.root, &mut from)
    }

    /// The datum of the JSON that a text begins with, and where that ends. Where there is none, the classes that an engine
    /// may report; all, if it is no JSON.
    pub fn read(&self, text: &str) -> Result<(Vec<u8>, usize), Option<Classes>> {
        let (json, end) = Json::first(text).ok_or(None)?;
        let mut reading = Reading { text: self, classes: Classes::new() };
        let datum = reading.value(self.schema.root, &json, 1);
        if reading.classes.is_empty() { Ok((datum, end)) } else { Err(Some(reading.classes)) }
    }

    fn tag(&self, variant: usize) -> String {
        let t = &self.schema.types[variant];
        match t.kind {
            Kind::Record | Kind::Enum | Kind::Fixed => t.name.clone(),
            kind => format!("{kind:?}").to_lowercase(),
        }
    }

    fn show(&self, ty: usize, from: &mut Datum<'_>) -> Option<String> {
        let t = &self.schema.types[ty];
        let raw = |bytes: &[u8]| match (t.decimal, self.style.tagged && !self.digits, self.style.latin) {
            (Some((precision, scale)), false, _) => decimal_text(bytes, precision, scale).map(|d| quoted(&d)),
            (_, false, false) => Some(quoted(&to_base64(bytes))),
            _ => Some(quoted(&bytes.iter().map(|b| char::from(*b)).collect::<String>())),
        };
        Some(match t.kind {
            Kind::Null => "null".into(),
            Kind::Boolean => if from.take(1)[0] == 1 { "true" } else { "false" }.into(),
            Kind::Int | Kind::Long => from.long().to_string(),
            Kind::Float => {
                let v = f32::from_le_bytes(from.take(4).try_into().expect("four"));
                if v.is_finite() { serde_json::to_string(&v).expect("a number") } else { self.special(v.into())? }
            }
            Kind::Double => {
                let v = f64::from_le_bytes(from.take(8).try_into().expect("eight"));
                if v.is_finite() { serde_json::to_string(&v).expect("a number") } else { self.special(v)? }
            }
            Kind::Bytes => raw(from.span())?,
            Kind::Fixed => raw(from.take(t.size as usize))?,
            Kind::String => quoted(std::str::from_utf8(from.span()).expect("UTF-8")),
            Kind::Enum => quoted(&t.symbols[from.long() as usize]),
            Kind::Record => {
                let show = |f: &super::schema::Field, from: &mut Datum<'_>| {
                    Some(format!("{}:{}", quoted(&f.name), self.show(f.ty, from)?))
                };
                let fields: Option<Vec<String>> = t.fields.iter().map(|f| show(f, from)).collect();
                format!("{{{}}}", fields?.join(","))
            }
            Kind::Array | Kind::Map => {
                let mut items = vec![];
                for _ in 0..from.count() {
                    let key = if t.kind == Kind::Map {
                        quoted(std::str::from_utf8(from.span()).expect("UTF-8")) + ":"
                    } else {
                        String::new()
                    };
                    items.push(key + &self.show(t.item, from)?);
                }
                if !items.is_empty() {
                    assert_eq!(from.long(), 0, "one block");
                }
                if t.kind == Kind::Map { format!("{{{}}}", items.join(",")) } else { format!("[{}]", items.join(",")) }
            }
            Kind::Union => {
                let variant = t.variants[from.long() as usize];
                let value = self.show(variant, from)?;
                match self.style.tagged && self.schema.types[variant].kind != Kind::Null {
                    true => format!("{{{}:{value}}}", quoted(&self.tag(variant))),
                    false => value,
                }
            }
        })
    }

    fn special(&self, v: f64) -> Option<String> {
        match self.style.specials {
            Specials::Text if v.is_nan() => Some(quoted("NaN")),
            Specials::Text => Some(quoted(if v > 0.0 { "Infinity" } else { "-Infinity" })),
            Specials::Null => Some("null".into()),
            Specials::Refuse => None,
        }
    }
}

struct Datum<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Datum<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let part = &self.data[self.at..self.at + n];
        self.at += n;
        part
    }

    fn long(&mut self) -> i64 {
        let (mut u, mut shift) = (0u64, 0);
        loop {
            let b = self.take(1)[0];
            u |= u64::from(b & 0x7f) << shift;
            shift += 7;
            if b < 0x80 {
                return (u >> 1) as i64 ^ -((u & 1) as i64);
            }
        }
    }

    fn span(&mut self) -> &'a [u8] {
        let n = self.long() as usize;
        self.take(n)
    }

    fn count(&mut self) -> i64 {
        self.long()
    }
}

struct Reading<'a> {
    text: &'a Text,
    classes: Classes,
}

/// Brackets inside each other.
fn brackets(json: &Json) -> u32 {
    match json {
        Json::Array(items) => 1 + items.iter().map(brackets).max().unwrap_or(0),
        Json::Object(entries) => 1 + entries.iter().map(|(_, v)| brackets(v)).max().unwrap_or(0),
        _ => 0,
    }
}

impl Reading<'_> {
    fn bad(&mut self, class: &'static str) -> Vec<u8> {
        self.classes.insert(class);
        vec![]
    }

    fn enter(&mut self, depth: u32) {
        if depth > self.text.depth {
            self.classes.insert("limit");
        }
    }

    fn value(&mut self, ty: usize, json: &Json, depth: u32) -> Vec<u8> {
        let t = &self.text.schema.types[ty];
        // Levels are the schema's: they count whatever stands there.
        if matches!(t.kind, Kind::Array | Kind::Map | Kind::Record) {
            self.enter(depth);
        }
        match (t.kind, json) {
            (Kind::Null, Json::Null) => vec![],
            (Kind::Boolean, Json::Bool(b)) => vec![u8::from(*b)],
            (Kind::Int | Kind::Long, Json::Number(text)) => {
                if text.contains(['.', 'e', 'E']) {
                    return self.bad("type");
                }
                match text.parse::<i64>() {
                    Ok(n) if t.kind == Kind::Long || i32::try_from(n).is_ok() => long(n),
                    _ => self.bad("range"),
                }
            }
            (Kind::Float, Json::Number(text)) => match text.parse::<f32>() {
                Ok(v) if v.is_finite() => v.to_le_bytes().to_vec(),
                _ => self.bad("range"),
            },
            (Kind::Double, Json::Number(text)) => match text.parse::<f64>() {
                Ok(v) if v.is_finite() => v.to_le_bytes().to_vec(),
                _ => self.bad("range"),
            },
            (Kind::Float | Kind::Double, Json::Null) if self.text.style.specials == Specials::Null => {
                if t.kind == Kind::Float { f32::NAN.to_le_bytes().to_vec() } else { f64::NAN.to_le_bytes().to_vec() }
            }
            (Kind::Float | Kind::Double, Json::String(text)) if self.text.style.specials == Specials::Text => {
                let v = match text.as_str() {
                    "NaN" => f64::NAN,
                    "Infinity" | "INF" | "+Infinity" | "+INF" => f64::INFINITY,
                    "-Infinity" | "-INF" => f64::NEG_INFINITY,
                    _ => return self.bad("type"),
                };
                if t.kind == Kind::Float { (v as f32).to_le_bytes().to_vec() } else { v.to_le_bytes().to_vec() }
            }
            (Kind::Bytes | Kind::Fixed, _) => self.raw(ty, json),
            (Kind::String, Json::String(text)) => put_bytes(text.as_bytes()),
            (Kind::Enum, Json::String(text)) => match t.symbols.iter().position(|s| s == text) {
                Some(i) => long(i as i64),
                None => self.bad("enum"),
            },
            (Kind::Array, Json::Array(items)) => {
                let items: Vec<Vec<u8>> = items.iter().map(|i| self.value(t.item, i, depth + 1)).collect();
                block(items)
            }
            (Kind::Map, Json::Object(entries)) => {
                let entry = |(k, v): &(String, Json), s: &mut Self| {
                    [put_bytes(k.as_bytes()), s.value(t.item, v, depth + 1)].concat()
                };
                let entries: Vec<Vec<u8>> = entries.iter().map(|e| entry(e, self)).collect();
                block(entries)
            }
            (Kind::Record, Json::Object(entries)) => self.record(ty, entries, depth),
            (Kind::Union, _) => self.union(ty, json, depth),
            _ => self.bad("type"),
        }
    }

    fn raw(&mut self, ty: usize, json: &Json) -> Vec<u8> {
        let t = &self.text.schema.types[ty];
        let style = self.text.style;
        let size = (t.kind == Kind::Fixed).then_some(t.size);
        let bytes = match (json, t.decimal) {
            (Json::String(text) | Json::Number(text), Some((precision, scale))) if !style.tagged => {
                match decimal_value(text, precision, scale).map(|v| decimal_bytes(v, size)) {
                    Ok(Some(bytes)) => bytes,
                    Ok(None) => return self.bad("range"),
                    Err(class) => return self.bad(class),
                }
            }
            (Json::String(text), _) if style.tagged || style.latin => match from_latin(text) {
                Some(bytes) => bytes,
                None => return self.bad("range"),
            },
            (Json::String(text), _) => match from_base64(text) {
                Some(bytes) => bytes,
                None => return self.bad("type"),
            },
            _ => return self.bad("type"),
        };
        match size {
            Some(size) if bytes.len() as u64 != size => self.bad("length"),
            Some(_) => bytes,
            None => put_bytes(&bytes),
        }
    }

    fn record(&mut self, ty: usize, entries: &[(String, Json)], depth: u32) -> Vec<u8> {
        let t = &self.text.schema.types[ty];
        let most = self.text.depth.saturating_sub(depth) * 2 + 1;
        if entries.iter().any(|(_, v)| brackets(v) > most) {
            self.classes.insert("limit");
        }
        if self.text.style.known_only && entries.iter().any(|(k, _)| t.fields.iter().all(|f| f.name != *k)) {
            self.classes.insert("key");
        }
        let mut out = vec![];
        for (i, f) in t.fields.iter().enumerate() {
            let found: Vec<&Json> = entries.iter().filter(|(k, _)| *k == f.name).map(|(_, v)| v).collect();
            match (found.as_slice(), self.text.style.twice) {
                ([], _) => out.extend(self.missing(f, (ty, i))),
                ([_, _, ..], Twice::Refuse) => drop(self.bad("key")),
                ([v, ..], Twice::Refuse | Twice::First) | ([.., v], Twice::Last) => {
                    out.extend(self.value(f.ty, v, depth + 1));
                }
            }
        }
        out
    }

    fn missing(&mut self, f: &super::schema::Field, place: (usize, usize)) -> Vec<u8> {
        let schema = &self.text.schema;
        if let Some(json) = &f.default
            && let Ok(bytes) = super::default::encode(schema, f.ty, json, &mut vec![place])
        {
            return bytes;
        }
        if self.text.style.missing_is_null
            && let Ok(bytes) = super::default::encode(schema, f.ty, &Json::Null, &mut vec![])
        {
            return bytes;
        }
        self.bad("key")
    }

    fn union(&mut self, ty: usize, json: &Json, depth: u32) -> Vec<u8> {
        let t = &self.text.schema.types[ty];
        let null = t.variants.iter().position(|v| self.text.schema.types[*v].kind == Kind::Null);
        if self.text.style.tagged {
            return match (json, null) {
                (Json::Null, Some(i)) => long(i as i64),
                (Json::Object(entries), _) => match entries.as_slice() {
                    [(tag, value)] => match t
                        .variants
                        .iter()
                        .position(|v| Some(*v) != null_type(t, null) && self.text.tag(*v) == *tag)
                    {
                        Some(i) => [long(i as i64), self.value(t.variants[i], value, depth)].concat(),
                        None => self.bad("union"),
                    },
                    [] => self.bad("syntax"),
                    [(tag, value), ..] => {
                        // Whatever is wrong inside may be found first.
                        if let Some(i) = t.variants.iter().position(|v| self.text.tag(*v) == *tag) {
                            self.value(t.variants[i], value, depth);
                        }
                        self.classes.extend(["syntax", "union"]);
                        vec![]
                    }
                },
                _ => self.bad("type"),
            };
        }
        let others = t.variants.len() - usize::from(null.is_some());
        let fits = |v: usize| match self.text.schema.types[v].kind {
            Kind::Null => *json == Json::Null,
            // Nothing else is null where there is one.
            _ if null.is_some() && *json == Json::Null => false,
            _ if others == 1 && (null.is_some() || self.text.style.specials != Specials::Null) => *json != Json::Null,
            _ => self.fits(v, json),
        };
        match t.variants.iter().position(|v| fits(*v)) {
            Some(i) => [long(i as i64), self.value(t.variants[i], json, depth)].concat(),
            None => {
                let most = self.text.depth.saturating_sub(depth) * 2 + 3;
                if brackets(json) >= most.saturating_sub(3) {
                    self.classes.insert("limit");
                }
                self.bad("union")
            }
        }
    }

    /// Whether a value looks like one of a variant.
    fn fits(&self, ty: usize, json: &Json) -> bool {
        let t = &self.text.schema.types[ty];
        let mut alone = Reading { text: self.text, classes: Classes::new() };
        match (t.kind, json) {
            (Kind::Array, Json::Array(_)) | (Kind::Map, Json::Object(_)) | (Kind::Bytes, Json::String(_))
                if t.decimal.is_none() || self.text.style.tagged =>
            {
                true
            }
            (Kind::Array | Kind::Map, _) => false,
            (Kind::Record, Json::Object(entries)) => {
                let known = entries.iter().all(|(k, _)| t.fields.iter().any(|f| f.name == *k));
                let nullable = |f: &super::schema::Field| {
                    let of = &self.text.schema.types[f.ty];
                    let null = |v: &usize| self.text.schema.types[*v].kind == Kind::Null;
                    of.kind == Kind::Null || of.variants.iter().any(null)
                };
                let may_miss =
                    |f: &super::schema::Field| f.default.is_some() || (self.text.style.missing_is_null && nullable(f));
                known && t.fields.iter().all(|f| may_miss(f) || entries.iter().any(|(k, _)| *k == f.name))
            }
            (Kind::Record, _) => false,
            // A decimal of fixed size is told by its digits.
            (Kind::Fixed, _) if t.decimal.is_some() && !self.text.style.tagged => {
                let (precision, scale) = t.decimal.unwrap_or((0, 0));
                matches!(json, Json::String(d) | Json::Number(d) if decimal_value(d, precision, scale).is_ok())
            }
            _ => {
                alone.value(ty, json, 1);
                alone.classes.is_empty()
            }
        }
    }
}

fn null_type(t: &super::schema::Type, null: Option<usize>) -> Option<usize> {
    null.map(|i| t.variants[i])
}

fn block(items: Vec<Vec<u8>>) -> Vec<u8> {
    let head = if items.is_empty() { vec![] } else { long(items.len() as i64) };
    [head, items.concat(), vec![0]].concat()
}

/// A JSON text with the keys of its objects sorted, those that come twice in their order.
pub fn sorted(text: &str) -> Option<String> {
    fn sort(json: &mut Json) {
        match json {
            Json::Array(items) => items.iter_mut().for_each(sort),
            Json::Object(entries) => {
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                entries.iter_mut().for_each(|(_, v)| sort(v));
            }
            _ => {}
        }
    }
    let (mut json, end) = Json::first(text)?;
    sort(&mut json);
    let mut out = String::new();
    let plain = How { shuffle: false, space: false, escape: false, more: false, twice: false };
    restyle(&json, &plain, &mut crate::random::Rng::new(0), &mut out);
    (end == text.len()).then_some(out)
}

/// A JSON text written another way: keys in another order, white space, escapes, keys that nobody knows, keys twice.
pub fn restyled(text: &str, rng: &mut crate::random::Rng) -> String {
    let Some((json, _)) = Json::first(text) else { return text.into() };
    let mut out = String::new();
    let how = How {
        shuffle: rng.one_in(2),
        space: rng.one_in(2),
        escape: rng.one_in(3),
        more: rng.one_in(4),
        twice: rng.one_in(8),
    };
    restyle(&json, &how, rng, &mut out);
    out
}

struct How {
    shuffle: bool,
    space: bool,
    escape: bool,
    more: bool,
    twice: bool,
}

fn restyle(json: &Json, how: &How, rng: &mut crate::random::Rng, out: &mut String) {
    let space = |out: &mut String, rng: &mut crate::random::Rng| {
        while how.space && rng.one_in(3) {
            out.push(*rng.pick(&[' ', '\n', '\t', '\r']));
        }
    };
    space(out, rng);
    match json {
        Json::Null => out.push_str("null"),
        Json::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Json::Number(n) => out.push_str(n),
        Json::String(s) => string(s, how, rng, out),
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                restyle(item, how, rng, out);
                space(out, rng);
            }
            out.push(']');
        }
        Json::Object(entries) => {
            let mut entries = entries.clone();
            if how.more && rng.one_in(2) {
                let what =
                    if rng.one_in(2) { Json::Array(vec![Json::Object(vec![]), Json::Null]) } else { Json::Bool(true) };
                entries.insert(rng.below(entries.len() + 1), ("unknown".into(), what));
            }
            if how.twice && !entries.is_empty() {
                let mut one = rng.pick(&entries).clone();
                let others = [Json::Null, Json::Number("7".into()), Json::String("NaN".into()), Json::Bool(true)];
                if rng.one_in(2) {
                    one.1 = rng.pick(&others).clone();
                }
                // Doubling what is deep, at each level, would not end.
                if brackets(&one.1) == 0 {
                    entries.push(one);
                }
            }
            if how.shuffle {
                rng.shuffle(&mut entries);
            }
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                space(out, rng);
                string(key, how, rng, out);
                space(out, rng);
                out.push(':');
                restyle(value, how, rng, out);
                space(out, rng);
            }
            out.push('}');
        }
    }
}

fn string(text: &str, how: &How, rng: &mut crate::random::Rng, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        if (how.escape && rng.one_in(3)) || c < ' ' || c == '"' || c == '\\' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out.push('"');
}
