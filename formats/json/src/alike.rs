//! Which variants of an untagged union look alike: some text that one is written as, or may be, also fits the other.
//!
//! What a variant fits is `choose`'s affair; here the sets of texts are compared, without enumerating them. Where a doubt
//! is left two variants count as alike: what is written and not reported must read back.

use crate::options::{BytesAs, DecimalsAs, Encoding, JsonOptions, SpecialsAs, TimesAs};
use crate::types::{decimal, num_form, quoted};
use reschema_ir::{Quote, TextNum};
use reschema_lower::{Alike, Scalar, Typed};
use reschema_runtime::text::{Piece, Text, read_decimal, read_num, read_quoted};
use reschema_schema::model::{Schema, Shape, TypeId};
use std::collections::HashSet;

/// Comparisons of names and variants in one union. Beyond them no further pairs are found.
const STEPS: usize = 1 << 20;

/// Words that are read as floats, those that are written first.
const SPECIALS: [&str; 7] = ["NaN", "Infinity", "-Infinity", "INF", "+INF", "-INF", "+Infinity"];
const WRITTEN_SPECIALS: usize = 3;

/// Which texts a variant has.
#[derive(Default)]
struct Look<'a> {
    null: bool,
    boolean: bool,
    /// Numbers without fraction and exponent.
    integers: bool,
    /// Numbers with one.
    fractions: bool,
    strings: Option<Strings<'a>>,
    array: bool,
    object: Option<Object<'a>>,
}

/// A set of strings.
#[derive(Clone)]
enum Strings<'a> {
    Any,
    /// Bytes, a code point each.
    Points,
    /// So many.
    PointsOf(u64),
    /// Bytes in base64.
    Base64,
    /// So many bytes.
    Base64Of(u64),
    Words(Vec<&'a str>),
    /// Of this precision and scale; with a point in all of them or not.
    Decimal {
        precision: u64,
        scale: u64,
        point: bool,
    },
    /// Dates or times.
    Moment {
        form: TextNum,
        written: bool,
    },
}

/// A set of objects, by their keys.
enum Object<'a> {
    Any,
    Keys { all: HashSet<&'a str>, needed: Vec<&'a str> },
}

/// The pairs of a union's variants of which a value is taken for the other when text of it is read: any text that fits
/// both, or if `written` one that the sink writes.
pub(crate) fn alike(options: &JsonOptions, of: Typed<'_>, written: bool) -> Vec<Alike> {
    let Shape::Union(union) = &of.schema.get(of.ty).shape else { return Vec::new() };
    if options.encoding == Encoding::Avro {
        return Vec::new();
    }
    let nullable = union.variants.iter().any(|v| of.schema.get(v.ty).shape == Shape::Null);
    let look = |ty: TypeId, written: bool| look(options, Typed { schema: of.schema, ty }, nullable, written);
    let fits: Vec<Look<'_>> = union.variants.iter().map(|v| look(v.ty, false)).collect();
    let texts: Vec<Look<'_>> = union.variants.iter().map(|v| look(v.ty, written)).collect();
    let mut steps = STEPS;
    let mut found = Vec::new();
    for (lost, text) in texts.iter().enumerate() {
        for (taken, fit) in fits.iter().enumerate() {
            // The first that fits counts; of null, the variant that is null.
            let alike = if taken < lost {
                text.meets(fit, &mut steps)
            } else {
                taken > lost && text.null && fit.null && !fits[lost].null
            };
            if alike {
                found.push(Alike { taken, lost });
            }
            steps = steps.saturating_sub(1);
            if steps == 0 {
                return found;
            }
        }
    }
    found
}

/// The texts that a value of a type fits, or is written as.
fn look<'a>(options: &JsonOptions, of: Typed<'a>, nullable: bool, written: bool) -> Look<'a> {
    let shape = &of.schema.get(of.ty).shape;
    if let Some((precision, scale)) = decimal(options, of) {
        let quoted = !written || options.decimals == DecimalsAs::Text;
        let bare = !written || options.decimals == DecimalsAs::Number;
        let point = written && scale > 0;
        return Look {
            integers: bare && !point,
            fractions: bare && (point || !written),
            strings: quoted.then_some(Strings::Decimal { precision, scale, point }),
            ..Look::default()
        };
    }
    if let Some(scalar) = Scalar::of(shape) {
        let text = !written || options.times == TimesAs::Text;
        if let Ok(Some(form)) = num_form(options, of, scalar, text) {
            return number(options, form, nullable, written);
        }
    }
    let strings = |strings| Look { strings: Some(strings), ..Look::default() };
    let latin = options.bytes == BytesAs::CodePoints;
    match shape {
        Shape::Null => Look { null: true, ..Look::default() },
        Shape::Bytes if written => strings(if latin { Strings::Points } else { Strings::Base64 }),
        Shape::Fixed(t) => strings(if latin { Strings::PointsOf(t.size) } else { Strings::Base64Of(t.size) }),
        Shape::Enum(t) => strings(Strings::Words(t.symbols.iter().map(|s| s.name.as_str()).collect())),
        Shape::List(_) => Look { array: true, ..Look::default() },
        Shape::Map(_) => Look { object: Some(Object::Any), ..Look::default() },
        Shape::Record(t) => {
            let needed = |i: usize| written || !options.may_miss(of.schema, t, i);
            let names = || t.fields.iter().map(|f| f.name.as_str());
            let needed = names().enumerate().filter(|(i, _)| needed(*i)).map(|(_, name)| name).collect();
            Look { object: Some(Object::Keys { all: names().collect(), needed }), ..Look::default() }
        }
        _ => strings(Strings::Any),
    }
}

fn number<'a>(options: &JsonOptions, form: TextNum, nullable: bool, written: bool) -> Look<'a> {
    match form {
        TextNum::Bool => Look { boolean: true, ..Look::default() },
        TextNum::Int32 | TextNum::Int64 => Look { integers: true, ..Look::default() },
        TextNum::F32 | TextNum::F64 | TextNum::FiniteF32 | TextNum::FiniteF64 | TextNum::NullF32 | TextNum::NullF64 => {
            let words = &SPECIALS[..if written { WRITTEN_SPECIALS } else { SPECIALS.len() }];
            Look {
                null: options.specials == SpecialsAs::Null && (written || !nullable),
                // Floats are written with a point or an exponent.
                integers: !written,
                fractions: true,
                strings: (options.specials == SpecialsAs::Text).then(|| Strings::Words(words.to_vec())),
                ..Look::default()
            }
        }
        // Nanoseconds of 64 bits all lie in years that have a text; others are written as numbers where they do not.
        TextNum::StampNano | TextNum::LocalNano if written => moment(form, false, written),
        _ => moment(form, true, written),
    }
}

fn moment<'a>(form: TextNum, integers: bool, written: bool) -> Look<'a> {
    Look { integers, strings: Some(Strings::Moment { form, written }), ..Look::default() }
}

impl Look<'_> {
    /// True if a text may be in both.
    fn meets(&self, other: &Look<'_>, steps: &mut usize) -> bool {
        (self.null && other.null)
            || (self.boolean && other.boolean)
            || (self.integers && other.integers)
            || (self.fractions && other.fractions)
            || (self.array && other.array)
            || self.strings.as_ref().zip(other.strings.as_ref()).is_some_and(|(a, b)| a.meets(b, steps))
            || self.object.as_ref().zip(other.object.as_ref()).is_some_and(|(a, b)| a.meets(b, steps))
    }
}

impl Object<'_> {
    fn meets(&self, other: &Object<'_>, steps: &mut usize) -> bool {
        let (Object::Keys { all: a, needed: mine }, Object::Keys { all: b, needed: theirs }) = (self, other) else {
            return true;
        };
        *steps = steps.saturating_sub(mine.len() + theirs.len());
        mine.iter().all(|name| b.contains(name)) && theirs.iter().all(|name| a.contains(name))
    }
}

impl Strings<'_> {
    fn meets(&self, other: &Strings<'_>, steps: &mut usize) -> bool {
        use Strings::{Any, Base64, Base64Of, Decimal, Moment, Points, PointsOf, Words};
        match (self, other) {
            (Words(words), set) | (set, Words(words)) => {
                *steps = steps.saturating_sub(words.len());
                words.iter().any(|word| set.holds(word))
            }
            (Any, _) | (_, Any) => true,
            (PointsOf(a), PointsOf(b)) | (Base64Of(a), Base64Of(b)) => a == b,
            (Points | Base64, _) | (_, Points | Base64) => {
                // No date and no time is base64.
                !matches!((self, other), (Base64, Moment { .. }) | (Moment { .. }, Base64))
            }
            (PointsOf(n), Decimal { .. }) | (Decimal { .. }, PointsOf(n)) => *n > 0,
            (PointsOf(n), Moment { form, written }) | (Moment { form, written }, PointsOf(n)) => {
                has_length(*form, *written, *n)
            }
            // Digits end base64 of these only.
            (Base64Of(n), Decimal { point, .. }) | (Decimal { point, .. }, Base64Of(n)) => {
                !point && *n > 0 && n % 3 != 1
            }
            (Base64Of(_), Moment { .. }) | (Moment { .. }, Base64Of(_)) => false,
            (Base64Of(_), PointsOf(_)) | (PointsOf(_), Base64Of(_)) => true,
            // Zero is of any precision and scale.
            (Decimal { .. }, Decimal { .. }) => true,
            (Decimal { .. }, Moment { .. }) | (Moment { .. }, Decimal { .. }) => false,
            (Moment { form: a, .. }, Moment { form: b, .. }) => kind(*a) == kind(*b),
        }
    }

    /// Whether a string is one of the set, judged by what reads it.
    fn holds(&self, word: &str) -> bool {
        let json = quoted(word);
        let text = Text { bytes: &json, complete: true };
        let bytes = |form: Quote| match read_quoted(text, 0, form) {
            Ok((Piece::Here { len, .. }, _)) => Some(len as u64),
            Ok((Piece::Own(own), _)) => Some(own.len() as u64),
            Err(_) => None,
        };
        match self {
            Strings::Any => true,
            Strings::Points => bytes(Quote::Latin).is_some(),
            Strings::PointsOf(n) => bytes(Quote::Latin) == Some(*n),
            Strings::Base64 => bytes(Quote::Base64).is_some(),
            Strings::Base64Of(n) => bytes(Quote::Base64) == Some(*n),
            Strings::Words(words) => words.contains(&word),
            Strings::Decimal { precision, scale, .. } => read_decimal(text, 0, *precision, *scale, 0).is_ok(),
            Strings::Moment { form, .. } => read_num(text, 0, *form).is_ok(),
        }
    }
}

/// Dates, times of a day, instants, or local times: texts of one kind meet.
fn kind(form: TextNum) -> u8 {
    match form {
        TextNum::Date => 0,
        TextNum::TimeMilli | TextNum::TimeMicro => 1,
        TextNum::StampMilli | TextNum::StampMicro | TextNum::StampNano => 2,
        _ => 3,
    }
}

/// Whether there is a text of so many characters.
fn has_length(form: TextNum, written: bool, n: u64) -> bool {
    let whole = match kind(form) {
        0 => return n == 10,
        1 => 8,
        2 => 20,
        _ => 19,
    };
    let digits = match form {
        TextNum::TimeMilli | TextNum::StampMilli | TextNum::LocalMilli => 3,
        TextNum::StampNano | TextNum::LocalNano => 9,
        _ => 6,
    };
    // A point and any number of digits, where zeros may end them.
    if written { n == whole + 1 + digits } else { n == whole || n > whole + 1 }
}

impl JsonOptions {
    /// Whether the key of a field may be missing.
    pub(crate) fn may_miss(&self, schema: &Schema, record: &reschema_schema::model::RecordType, field: usize) -> bool {
        let Some(field) = record.fields.get(field) else { return false };
        let null = |ty: TypeId| schema.get(ty).shape == Shape::Null;
        let nullable = match &schema.get(field.ty).shape {
            Shape::Union(t) => t.variants.iter().any(|v| null(v.ty)),
            shape => *shape == Shape::Null,
        };
        field.default.is_some() || (nullable && self.missing_is_null)
    }
}
