//! From sketches to a schema.

use super::report::{Certainty, Place};
use super::sketch::{EXACT, Keys, Objects, Sketch, Strings};
use super::{InferError, InferOptions, Inference};
use reschema_schema::Json;
use reschema_schema::avro::{Names, Parser};
use std::collections::HashSet;

/// Keys from which objects may be dictionaries though their keys are names, if each has less than a quarter of them.
const MANY: usize = 20;
/// Keys from which one or two objects may be.
const VERY_MANY: usize = 100;
/// Longest name of a type.
const NAME: usize = 100;

pub(super) fn finish(options: &InferOptions, root: Sketch) -> Result<Inference, InferError> {
    let mut shapes = Shapes { options, names: HashSet::new(), places: Vec::new() };
    let name = if options.name.split('.').all(is_name) { options.name.clone() } else { type_name(&options.name) };
    let seen = root.seen;
    let ty = shapes.ty(root, Seat { path: "$".into(), name, parent: String::new(), present: seen, missing: 0 });
    let names = if options.lenient_names { Names::Lenient } else { Names::Strict };
    let schema = Parser::new().names(names).parse(&ty.to_string()).map_err(InferError::schema)?;
    Ok(Inference { schema, certainty: Certainty { places: shapes.places } })
}

struct Shapes<'a> {
    options: &'a InferOptions,
    /// Names of types that are taken.
    names: HashSet<String>,
    places: Vec<Place>,
}

/// Where a sketch belongs.
struct Seat {
    path: String,
    /// What a type here is called, and the one around it.
    name: String,
    parent: String,
    /// Objects that have it, and those that do not.
    present: u64,
    missing: u64,
}

impl Seat {
    fn below(&self, step: &str, name: String, parent: &str, seen: u64) -> Seat {
        Seat { path: format!("{}{step}", self.path), name, parent: parent.into(), present: seen, missing: 0 }
    }
}

fn word(text: &str) -> Json {
    Json::String(text.into())
}

fn object(entries: Vec<(&str, Json)>) -> Json {
    Json::Object(entries.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
}

impl Shapes<'_> {
    fn ty(&mut self, mut sketch: Sketch, seat: Seat) -> Json {
        let mut place = Place::new(&seat.path, &sketch, seat.present, seat.missing);
        // What is around stands in front of what is inside.
        let at = self.places.len();
        self.places.push(Place::default());
        let mut variants = Vec::new();
        if sketch.nulls > 0 || seat.missing > 0 {
            variants.push(word("null"));
        }
        if sketch.booleans > 0 {
            variants.push(word("boolean"));
        }
        numbers(&sketch, &mut variants, &mut place);
        if let Some(strings) = &sketch.strings {
            variants.push(self.strings(strings, &mut place));
        }
        if let Some(arrays) = sketch.arrays.take() {
            if arrays.items.seen == 0 {
                place.hints.push("no array has an item: array of null".into());
            }
            let below = seat.below("[]", format!("{}Item", short(&seat.name)), &seat.parent, arrays.items.seen);
            let items = self.ty(*arrays.items, below);
            variants.push(object(vec![("type", word("array")), ("items", items)]));
        }
        if let Some(objects) = sketch.objects.take() {
            variants.push(self.objects(*objects, &seat, &mut place));
        }
        if variants.iter().filter(|v| **v != word("null")).count() > 1 {
            place.hints.push("several kinds: a union".into());
        }
        let ty = match <[Json; 1]>::try_from(variants) {
            Ok([one]) => one,
            Err(none) if none.is_empty() => word("null"),
            Err(several) => Json::Array(several),
        };
        place.kind = label(&ty);
        self.places[at] = place;
        ty
    }

    fn strings(&self, strings: &Strings, place: &mut Place) -> Json {
        let all = |n: u64| n == strings.count;
        let logical = |base: &str, name: &str| object(vec![("type", word(base)), ("logicalType", word(name))]);
        let unit = match strings.digits {
            0..=3 => "millis",
            4..=6 => "micros",
            _ => "nanos",
        };
        let found = if all(strings.dates) {
            Some((logical("int", "date"), "dates"))
        } else if all(strings.instants) {
            Some((logical("long", &format!("timestamp-{unit}")), "time stamps"))
        } else if all(strings.locals) {
            Some((logical("long", &format!("local-timestamp-{unit}")), "time stamps without zone"))
        } else if all(strings.uuids) {
            Some((logical("string", "uuid"), "UUIDs"))
        } else if all(strings.decimals) {
            let (precision, scale) = (strings.whole + strings.scale, strings.scale);
            let number = |n: usize| Json::Number(n.to_string());
            let entries = vec![("precision", number(precision)), ("scale", number(scale))];
            let head = vec![("type", word("bytes")), ("logicalType", word("decimal"))];
            Some((object([head, entries].concat()), "decimals"))
        } else {
            None
        };
        if let Some((ty, words)) = found {
            if self.options.logical_types {
                return ty;
            }
            place.hints.push(format!("all strings look like {words}: perhaps {ty}"));
        } else if let Some(distinct) = &strings.distinct
            && distinct.len() <= 16
            && strings.count >= 4 * distinct.len() as u64
            && distinct.iter().all(|s| is_name(s))
        {
            let mut symbols: Vec<&str> = distinct.iter().map(String::as_str).collect();
            symbols.sort_unstable();
            place.hints.push(format!("few distinct strings: perhaps an enum of {}", symbols.join(", ")));
        }
        word("string")
    }

    fn objects(&mut self, objects: Objects, seat: &Seat, place: &mut Place) -> Json {
        if objects.twice > 0 {
            let words = "keys come twice in an object: reading refuses that unless told which counts";
            place.hints.push(format!("{words} ({} times)", objects.twice));
        }
        if let Some(why) = self.dictionary(&objects) {
            place.hints.push(format!("{why}: a map"));
            let values = objects.into_values();
            let below = seat.below("{}", format!("{}Value", short(&seat.name)), &seat.parent, values.seen);
            let values = self.ty(values, below);
            return object(vec![("type", word("map")), ("values", values)]);
        }
        let name = self.name(&seat.name, &seat.parent);
        let Keys::Fields(fields) = objects.keys else { return word("null") };
        let mut list = Vec::with_capacity(fields.list.len());
        for field in fields.list {
            let below = Seat {
                path: format!("{}.{}", seat.path, field.key),
                name: type_name(&field.key),
                parent: name.clone(),
                present: field.present,
                missing: objects.count.saturating_sub(field.present),
            };
            let ty = self.ty(field.sketch, below);
            let nullable = matches!(&ty, Json::Array(v) if v.first() == Some(&word("null"))) || ty == word("null");
            let mut entries = vec![("name", word(&field.key)), ("type", ty)];
            entries.extend(nullable.then_some(("default", Json::Null)));
            list.push(object(entries));
        }
        object(vec![("type", word("record")), ("name", word(&name)), ("fields", Json::Array(list))])
    }

    /// Why objects are dictionaries, if they are.
    fn dictionary(&self, objects: &Objects) -> Option<&'static str> {
        let Keys::Fields(fields) = &objects.keys else { return Some("more keys than are kept apart") };
        let keys = fields.list.len();
        let digit = |key: &str| key.starts_with(|c: char| c.is_ascii_digit());
        if keys == 0 {
            return Some("objects without keys");
        }
        if fields.list.iter().all(|f| digit(&f.key)) {
            return Some("keys that are numbers");
        }
        if !self.options.lenient_names && fields.list.iter().any(|f| !is_name(&f.key)) {
            return Some("keys that are no names of Avro's");
        }
        if self.options.lenient_names && fields.list.iter().any(|f| f.key.is_empty()) {
            return Some("an empty key");
        }
        let present: u64 = fields.list.iter().map(|f| f.present).sum();
        let sparse = present.saturating_mul(4) < objects.count.saturating_mul(keys as u64);
        let many = (keys >= MANY && sparse) || (keys >= VERY_MANY && objects.count <= 2);
        (many && alike(fields.list.iter().map(|f| &f.sketch))).then_some("many keys of one kind")
    }

    /// A name that no other type has.
    fn name(&mut self, name: &str, parent: &str) -> String {
        let long = format!("{}{}", short(parent.rsplit('.').next().unwrap_or("")), short(name));
        let numbered = (2..).map(|n: u64| format!("{}{n}", short(&long)));
        let mut candidates = [name.to_string(), long.clone()].into_iter().chain(numbered);
        loop {
            if let Some(name) = candidates.next()
                && self.names.insert(name.clone())
            {
                return name;
            }
        }
    }
}

fn numbers(sketch: &Sketch, variants: &mut Vec<Json>, place: &mut Place) {
    let Sketch { integers, fractions, large, .. } = sketch;
    if *large > 0 {
        place.hints.push(format!("numbers beyond 64 bits ({large}): double holds about 16 digits of them"));
    }
    let exact = -EXACT <= integers.least && integers.most <= EXACT;
    match (integers.count > 0, fractions.count > 0) {
        (true, true) if exact => {
            place.hints.push("numbers with and without fraction: double".into());
            variants.push(word("double"));
        }
        (true, true) => {
            place.hints.push("integers that double does not hold, and fractions: both".into());
            variants.extend([word("long"), word("double")]);
        }
        (true, false) => variants.push(word("long")),
        (false, true) => variants.push(word("double")),
        (false, false) => {}
    }
    if integers.count > 0 && i32::try_from(integers.least).is_ok() && i32::try_from(integers.most).is_ok() {
        place.fits_int = true;
    }
}

/// True if all sketches have one kind of value, the same, besides null.
fn alike<'s>(sketches: impl Iterator<Item = &'s Sketch>) -> bool {
    let mut all = [false; 5];
    for s in sketches {
        let numbers = s.integers.count > 0 || s.fractions.count > 0;
        let kinds = [numbers, s.booleans > 0, s.strings.is_some(), s.arrays.is_some(), s.objects.is_some()];
        all.iter_mut().zip(kinds).for_each(|(a, k)| *a |= k);
    }
    all.iter().filter(|k| **k).count() <= 1
}

/// A type in a word or a few.
fn label(ty: &Json) -> String {
    match ty {
        Json::String(name) => name.clone(),
        Json::Array(variants) => variants.iter().map(label).collect::<Vec<_>>().join(" or "),
        _ => match (ty.get("logicalType"), ty.get("name"), ty.get("type")) {
            (Some(logical), ..) => logical.as_str().unwrap_or("").into(),
            (_, Some(name), Some(kind)) => {
                format!("{} {}", kind.as_str().unwrap_or(""), name.as_str().unwrap_or(""))
            }
            (.., kind) => kind.and_then(Json::as_str).unwrap_or("").into(),
        },
    }
}

/// True for a name as Avro's specification has them.
fn is_name(text: &str) -> bool {
    let first = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    first && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The name of a type whose values are called `key`: `seat_categories` is SeatCategories.
fn type_name(key: &str) -> String {
    let mut name = String::new();
    let mut upper = true;
    for c in key.chars().take(4 * NAME) {
        if !c.is_ascii_alphanumeric() {
            upper = true;
        } else if name.len() < NAME {
            name.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    if is_name(&name) { name } else { format!("Record{name}") }
}

fn short(name: &str) -> &str {
    &name[..name.floor_char_boundary(NAME)]
}
