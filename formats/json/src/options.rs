//! What can be chosen about JSON.

use reschema_ir::{Twice, Unknown};

/// How unions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As people write JSON: the bare value.
    Plain,
    /// As Avro's specification says ("JSON Encoding"): the value in an object that names its type; logical types raw.
    Avro,
}

/// How bytes are written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BytesAs {
    /// In base64.
    Base64,
    /// A code point below 256 a byte.
    CodePoints,
}

/// How decimals are written; both are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecimalsAs {
    /// `"1662.65"`.
    Text,
    /// `1662.65`, which many readers round.
    Number,
}

/// How dates and times are written; both are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimesAs {
    /// As RFC 3339 says, where it can.
    Text,
    /// The number.
    Number,
}

/// What becomes of NaN and the infinities, for which JSON has no numbers (RFC 8259, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialsAs {
    /// `"NaN"`, `"Infinity"`, `"-Infinity"`: as Java and C# write and read Avro's encoding. Nothing is lost.
    Text,
    /// An error of range, with the place; strings are not read as numbers either.
    Refuse,
    /// `null`, as `JSON.stringify` and most libraries write them. Read back, it is null where the type has one, else NaN.
    Null,
}

/// What is written behind each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Nothing.
    Nothing,
    /// A line feed: one value a line.
    Newline,
    /// A comma and a line feed, for items of an array.
    Comma,
}

/// Options; the methods say what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonOptions {
    pub(crate) encoding: Encoding,
    pub(crate) bytes: BytesAs,
    pub(crate) decimals: DecimalsAs,
    pub(crate) times: TimesAs,
    pub(crate) twice: Twice,
    pub(crate) unknown: Unknown,
    pub(crate) missing_is_null: bool,
    pub(crate) ending: Ending,
    pub(crate) specials: SpecialsAs,
}

impl JsonOptions {
    /// Plain JSON: unions bare, bytes in base64, decimals and times as text.
    pub const PLAIN: JsonOptions = JsonOptions {
        encoding: Encoding::Plain,
        bytes: BytesAs::Base64,
        decimals: DecimalsAs::Text,
        times: TimesAs::Text,
        twice: Twice::Refuse,
        unknown: Unknown::Skip,
        missing_is_null: true,
        ending: Ending::Nothing,
        specials: SpecialsAs::Text,
    };

    /// Avro's JSON encoding.
    pub const AVRO: JsonOptions = JsonOptions {
        encoding: Encoding::Avro,
        bytes: BytesAs::CodePoints,
        times: TimesAs::Number,
        missing_is_null: false,
        ..JsonOptions::PLAIN
    };

    /// How bytes are written and read. Plain JSON only; default base64.
    pub fn bytes(mut self, bytes: BytesAs) -> JsonOptions {
        if self.encoding == Encoding::Plain {
            self.bytes = bytes;
        }
        self
    }

    /// How decimals are written. Plain JSON only; default text.
    pub fn decimals(mut self, decimals: DecimalsAs) -> JsonOptions {
        self.decimals = decimals;
        self
    }

    /// How dates and times are written. Plain JSON only; default text.
    pub fn times(mut self, times: TimesAs) -> JsonOptions {
        self.times = times;
        self
    }

    /// What holds of keys that come twice in an object. Default: an error.
    pub fn duplicate_keys(mut self, twice: Twice) -> JsonOptions {
        self.twice = twice;
        self
    }

    /// What holds of keys that the schema does not have. Default: they are passed over.
    pub fn unknown_keys(mut self, unknown: Unknown) -> JsonOptions {
        self.unknown = unknown;
        self
    }

    /// Whether a key that is missing is null where the field may be null and has no default. Default: yes in plain JSON, no
    /// in Avro's encoding.
    pub fn missing_is_null(mut self, yes: bool) -> JsonOptions {
        self.missing_is_null = yes;
        self
    }

    /// What becomes of NaN and the infinities. Default: they are strings.
    pub fn specials(mut self, specials: SpecialsAs) -> JsonOptions {
        self.specials = specials;
        self
    }

    /// What is written behind each value. Default nothing.
    pub fn ending(mut self, ending: Ending) -> JsonOptions {
        self.ending = ending;
        self
    }

    /// The options as a number that tells them apart.
    pub fn bits(self) -> u64 {
        let mut bits = 0;
        let mut push = |index: u64| bits = bits << 2 | index;
        push(self.encoding as u64);
        push(self.bytes as u64);
        push(self.decimals as u64);
        push(self.times as u64);
        push(self.twice as u64);
        push(self.unknown as u64);
        push(u64::from(self.missing_is_null));
        push(self.ending as u64);
        push(self.specials as u64);
        bits
    }

    /// The options of a number that [`JsonOptions::bits`] gave.
    pub fn from_bits(bits: u64) -> JsonOptions {
        let at = |place: u32| bits >> (16 - 2 * place) & 3;
        let first = |place| at(place) == 0;
        JsonOptions {
            encoding: if first(0) { Encoding::Plain } else { Encoding::Avro },
            bytes: if first(1) { BytesAs::Base64 } else { BytesAs::CodePoints },
            decimals: if first(2) { DecimalsAs::Text } else { DecimalsAs::Number },
            times: if first(3) { TimesAs::Text } else { TimesAs::Number },
            twice: *Twice::ALL.get(at(4) as usize).unwrap_or(&Twice::Refuse),
            unknown: *Unknown::ALL.get(at(5) as usize).unwrap_or(&Unknown::Skip),
            missing_is_null: !first(6),
            ending: match at(7) {
                0 => Ending::Nothing,
                1 => Ending::Newline,
                _ => Ending::Comma,
            },
            specials: match at(8) {
                0 => SpecialsAs::Text,
                1 => SpecialsAs::Refuse,
                _ => SpecialsAs::Null,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_tell_all_options() {
        let mut seen = std::collections::HashSet::new();
        for start in [JsonOptions::PLAIN, JsonOptions::AVRO] {
            for twice in Twice::ALL {
                for unknown in Unknown::ALL {
                    for ending in [Ending::Nothing, Ending::Newline, Ending::Comma] {
                        for number in [false, true] {
                            let options = start.duplicate_keys(*twice).unknown_keys(*unknown).ending(ending);
                            let times = if number { TimesAs::Number } else { TimesAs::Text };
                            let decimals = if number { DecimalsAs::Text } else { DecimalsAs::Number };
                            let options = options.times(times).decimals(decimals).missing_is_null(number);
                            let options = options.bytes(BytesAs::CodePoints);
                            for specials in [SpecialsAs::Text, SpecialsAs::Refuse, SpecialsAs::Null] {
                                let options = options.specials(specials);
                                assert_eq!(JsonOptions::from_bits(options.bits()), options);
                                assert!(seen.insert(options.bits()));
                            }
                        }
                    }
                }
            }
        }
    }
}
