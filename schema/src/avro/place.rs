//! Places in schema texts. Their paths are written out only where a message needs one: a tree of steps takes a few bytes
//! a node, where paths would take as much as the schema is deep.

use std::fmt::Write;

/// A place in one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place(u32);

/// From a place to one inside it.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// The whole of a text, by the text's index.
    Text(u32),
    Type,
    Items,
    Values,
    Field(u32),
    Variant(u32),
}

/// An index in the little room of a [`Step`]; it only makes words.
pub(super) fn small(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// All places met so far.
pub(super) struct Places<'a> {
    /// Names of the texts.
    labels: Vec<&'a str>,
    steps: Vec<(Place, Step)>,
}

impl<'a> Places<'a> {
    pub(super) fn new(labels: Vec<&'a str>) -> Places<'a> {
        Places { labels, steps: Vec::new() }
    }

    /// The whole of a text.
    pub(super) fn text(&mut self, index: usize) -> Place {
        self.within(Place(u32::MAX), Step::Text(small(index)))
    }

    /// Past four thousand million places, which no text in memory holds, they are not told apart any more.
    pub(super) fn within(&mut self, place: Place, step: Step) -> Place {
        let Ok(id) = u32::try_from(self.steps.len()) else { return place };
        self.steps.push((place, step));
        Place(id)
    }

    /// `$.fields[0].type`, with the name of the text in front if it has one.
    pub(super) fn path(&self, place: Place) -> String {
        let mut steps = Vec::new();
        let mut at = place;
        while let Some((parent, step)) = self.steps.get(at.0 as usize) {
            steps.push(*step);
            at = *parent;
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            let _ = match step {
                Step::Text(i) => match self.labels.get(i as usize) {
                    Some(label) if !label.is_empty() => write!(path, "{label}: $"),
                    _ => write!(path, "$"),
                },
                Step::Type => write!(path, ".type"),
                Step::Items => write!(path, ".items"),
                Step::Values => write!(path, ".values"),
                Step::Field(i) => write!(path, ".fields[{i}]"),
                Step::Variant(i) => write!(path, "[{i}]"),
            };
        }
        path
    }
}
