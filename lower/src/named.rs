//! Records of self-describing sources: each field is sought by its key, in the order of the target.

use crate::driver::{Driver, LowerError, Result};
use crate::format::{KeyRules, Unsupported};
use reschema_ir::{Bodies, MarkUse, NumUse, Op, Site, TableId};
use reschema_schema::Json;
use reschema_schema::default::{field_default, literal};
use reschema_schema::literal::Literal;
use reschema_schema::model::{RecordType, TypeId};
use reschema_schema::plan::FieldSource;

/// An object that is being read.
struct Object {
    rules: KeyRules,
    start: MarkUse,
    state: NumUse,
    names: TableId,
    wanted: u32,
    /// Place of the object itself: its keys are judged as a whole.
    site: Site,
}

impl Driver<'_> {
    pub(crate) fn named(
        &mut self,
        from: &RecordType,
        reader: TypeId,
        to: &RecordType,
        fields: &[FieldSource],
    ) -> Result {
        let rules = self.source.key_rules().ok_or_else(|| {
            LowerError::Unsupported(
                Unsupported { format: "this format", what: "records by name".into() },
                String::new(),
            )
        })?;
        let scope = self.b.scope();
        let places = places(from.fields.len(), fields);
        let wanted = places.iter().flatten().count() as u32;
        let names = self.names(from, &places);
        let ((start, start_used), (state, state_used)) = (self.b.mark(), self.b.num());
        self.b.op(Op::OpenObject { form: rules.form, start, state });
        let outer = self.here();
        let site = self.b.set_site(outer);
        self.b.set_site(site);
        let object = Object { rules, start: start_used, state: state_used, names, wanted, site };
        for (r, field) in fields.iter().enumerate() {
            match field {
                FieldSource::Default(literal) => self.default(reader, to, r, literal)?,
                FieldSource::Written { index, node } => {
                    let place = places[*index].unwrap_or(0);
                    let instead = self.instead(from, *index, reader, to, r, rules);
                    self.field(Some((from, *index)), reader, to, r, |d| {
                        let there = d.body(|d| d.node(*node))?;
                        let absent = match &instead {
                            Some(literal) => d.body(|d| d.literal(to.fields[r].ty, literal))?,
                            None => {
                                let name = &from.fields[*index].name;
                                d.failing(
                                    format!("the key {name:?} is missing, and the field has no default").as_bytes(),
                                )?
                            }
                        };
                        d.find(&object, &from.fields[*index].name, place, Bodies(vec![there, absent]));
                        Ok(())
                    })?;
                }
            }
        }
        let Object { rules: KeyRules { form, twice, unknown, .. }, start, state, .. } = object;
        self.b.op(Op::CloseObject { form, start, state, names, wanted, twice, unknown, level: self.level });
        self.b.leave(scope);
        Ok(())
    }

    fn find(&mut self, object: &Object, name: &str, place: u32, arms: Bodies) {
        let Object { rules: KeyRules { form, twice, unknown, .. }, start, state, names, wanted, site } = *object;
        let text = self.source.key_text(name);
        let text = self.b.constant(&text);
        let level = self.level;
        let outer = self.b.set_site(site);
        self.b.op(Op::FindField { form, start, state, names, wanted, place, text, twice, unknown, level, arms });
        self.b.set_site(outer);
    }

    /// The names of a record's keys, and the places of those that are wanted.
    fn names(&mut self, from: &RecordType, places: &[Option<u32>]) -> TableId {
        let mut sorted: Vec<usize> = (0..from.fields.len()).collect();
        sorted.sort_by_key(|i| from.fields[*i].name.as_bytes());
        let mut pairs = Vec::with_capacity(2 * sorted.len());
        for i in sorted {
            let name = self.b.constant(from.fields[i].name.as_bytes());
            pairs.extend([Some(i64::from(name.0)), places[i].map(i64::from)]);
        }
        self.b.table(pairs)
    }

    /// What stands for a key that is missing: the default of the reader's field, else of the writer's, else null where that
    /// may be.
    fn instead(
        &self,
        from: &RecordType,
        w: usize,
        reader: TypeId,
        to: &RecordType,
        r: usize,
        rules: KeyRules,
    ) -> Option<Literal> {
        let schema = &self.plan.reader;
        if let Some(Ok(found)) = field_default(schema, reader, r) {
            return Some(found);
        }
        let ty = to.fields[r].ty;
        let written = from.fields[w].default.as_ref().and_then(|json| literal(schema, ty, json).ok());
        written.or_else(|| literal(schema, ty, &Json::Null).ok().filter(|_| rules.missing_is_null))
    }
}

/// For each field of the writer its place among those that are wanted.
fn places(count: usize, fields: &[FieldSource]) -> Vec<Option<u32>> {
    let mut places = vec![None; count];
    let mut next = 0;
    for field in fields {
        if let FieldSource::Written { index, .. } = field
            && let Some(place @ None) = places.get_mut(*index)
        {
            *place = Some(next);
            next += 1;
        }
    }
    places
}
