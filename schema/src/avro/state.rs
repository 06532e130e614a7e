//! What parsing has found so far, and where it stands.

use super::error::Fault;
use super::link::Links;
use super::parse::Parser;
use super::place::{Place, Places, Step};
use crate::model::{SchemaWarning, Shape, Type, TypeId, TypeName};
use std::collections::{HashMap, HashSet};

/// Faults after which parsing stops: a large text may have one in every few bytes.
const MAX_FAULTS: usize = 100;
/// Warnings of one text.
const MAX_WARNINGS: usize = 1000;
/// Characters of a name that a message shows.
const SHOWN: usize = 200;

/// Whose warning it is: a schema holds those of what it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    /// What stands outside named types, by the text's index.
    Text(usize),
    /// The named type around it.
    Type(TypeId),
}

pub(super) struct State<'a> {
    pub(super) options: Parser,
    pub(super) types: Vec<Type>,
    pub(super) names: HashMap<TypeName, TypeId>,
    pub(super) faults: Vec<Fault>,
    /// No more faults are wanted.
    pub(super) stopped: bool,
    pub(super) warnings: Vec<(Owner, SchemaWarning)>,
    /// Warnings before those of this text.
    pub(super) warned: usize,
    pub(super) places: Places<'a>,
    pub(super) place: Place,
    pub(super) owner: Owner,
    /// Types that stand for what could not be parsed.
    pub(super) broken: HashSet<TypeId>,
    pub(super) links: Links,
}

impl<'a> State<'a> {
    pub(super) fn new(options: Parser, labels: Vec<&'a str>) -> State<'a> {
        let links = Links::new(labels.len() > 1);
        let mut places = Places::new(labels);
        let place = places.text(0);
        State {
            options,
            types: Vec::new(),
            names: HashMap::new(),
            faults: Vec::new(),
            stopped: false,
            warnings: Vec::new(),
            warned: 0,
            places,
            place,
            owner: Owner::Text(0),
            broken: HashSet::new(),
            links,
        }
    }

    /// Goes to the start of a text.
    pub(super) fn begin(&mut self, text: usize) {
        self.place = self.places.text(text);
        self.owner = Owner::Text(text);
        self.warned = self.warnings.len();
    }

    pub(super) fn fault(&mut self, message: String) {
        self.fault_at(self.place, message);
    }

    pub(super) fn fault_at(&mut self, place: Place, message: String) {
        self.fault_on(self.places.path(place), message);
    }

    pub(super) fn fault_on(&mut self, path: String, message: String) {
        if self.faults.len() == MAX_FAULTS {
            self.stopped = true;
        } else {
            self.faults.push(Fault { path, message });
        }
    }

    pub(super) fn warn(&mut self, message: String) {
        self.warn_at(self.place, self.owner, message);
    }

    pub(super) fn warn_at(&mut self, place: Place, owner: Owner, message: String) {
        let message = match self.warnings.len() - self.warned {
            0..MAX_WARNINGS => message,
            MAX_WARNINGS => "more warnings of this text are not kept".into(),
            _ => return,
        };
        self.warnings.push((owner, SchemaWarning { path: self.places.path(place), message }));
    }

    pub(super) fn at<T>(&mut self, step: Step, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.place;
        self.place = self.places.within(outer, step);
        let result = f(self);
        self.place = outer;
        result
    }

    /// A new type. Beyond the limit there is none, and parsing stops.
    pub(super) fn add(&mut self, ty: Type) -> TypeId {
        let most = self.options.max_types.min(u32::MAX as usize);
        if self.types.len() >= most {
            if !self.stopped {
                self.fault(format!("more than {most} types"));
                self.stopped = true;
            }
            return TypeId(0);
        }
        self.types.push(ty);
        TypeId(self.types.len() as u32 - 1)
    }

    /// The place of a type that is not known yet.
    pub(super) fn reserve(&mut self) -> TypeId {
        self.add(Type::plain(Shape::Null))
    }

    /// Stands for a type that could not be parsed, so that parsing can go on.
    pub(super) fn missing(&mut self) -> TypeId {
        let id = self.reserve();
        self.broken.insert(id);
        id
    }

    pub(super) fn set(&mut self, id: TypeId, ty: Type) {
        if let Some(place) = self.types.get_mut(id.0 as usize) {
            *place = ty;
        }
    }
}

/// A name for a message: of long ones the start.
pub(super) fn short(name: impl ToString) -> String {
    let text = name.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
