//! The engine: configuration, and transforms by pair.

use crate::cache::{Cache, ContentKey};
use crate::error::{Error, ErrorKind};
use crate::events::{Event, emit};
use crate::formats::Endpoint;
use crate::native::{Fault, GeneratorOptions};
use crate::stats::EngineStats;
use crate::tiering::Tiering;
use crate::tiering::broker::Broker;
use crate::tiering::switches::Switches;
use crate::transform::{Transform, look_alike};
use reschema_ir::OpCounts;
use reschema_ir::pass::PassSet;
use reschema_lower::UserConversion;
use reschema_runtime::{Limits, UserFn};
use reschema_schema::model::Logical;
use reschema_schema::resolve::{Compatibility, ResolutionRules, compatibility, resolve};
use std::sync::Arc;

/// Makes transforms. Cheap to clone; share one in a process.
#[derive(Clone)]
pub struct Engine {
    config: Arc<Config>,
    cache: Arc<Cache>,
}

/// What an engine goes by.
pub(crate) struct Config {
    pub(crate) limits: Limits,
    pub(crate) rules: ResolutionRules,
    pub(crate) passes: PassSet,
    pub(crate) broker: Arc<Broker>,
    pub(crate) conversions: Vec<UserConversion>,
    pub(crate) users: Vec<UserFn>,
}

/// Configures an [`Engine`].
pub struct Builder {
    limits: Limits,
    rules: ResolutionRules,
    passes: PassSet,
    tiering: Tiering,
    conversions: Vec<UserConversion>,
    users: Vec<UserFn>,
    cached: usize,
    fault: Option<Fault>,
    counts: Option<Arc<OpCounts>>,
}

impl Engine {
    /// The defaults, to be changed.
    pub fn builder() -> Builder {
        Builder {
            limits: Limits::default(),
            rules: ResolutionRules::default(),
            passes: PassSet::all(),
            tiering: Tiering::default(),
            conversions: Vec::new(),
            users: Vec::new(),
            cached: 1024,
            fault: None,
            counts: None,
        }
    }

    /// The transform from one end to the other. Resolution and lowering happen once a pair, however many threads ask for it
    /// at once; asking again with the same [`Schema`](crate::Schema) objects is a look-up.
    ///
    /// # Errors
    /// The schemas do not resolve (every difference is listed), or a format cannot carry a shape.
    pub fn transform(&self, writer: Endpoint, reader: Endpoint) -> Result<Transform, Error> {
        if let Some(found) = self.cache.by_object(&writer, &reader) {
            return Ok(found);
        }
        let key = ContentKey::new(&writer, &reader);
        self.cache.by_content(key, &writer, &reader, || self.build(&writer, &reader))
    }

    /// Makes the transforms of pairs that are known beforehand, and their native code if the engine's tiering makes any, on
    /// this thread: so that the first value of each finds it. What cannot be compiled is interpreted; an engine that keeps
    /// less code than all of it takes gives some back.
    ///
    /// # Errors
    /// A pair does not resolve, as [`Engine::transform`] says; those before it are prepared.
    pub fn prepare(&self, pairs: impl IntoIterator<Item = (Endpoint, Endpoint)>) -> Result<Vec<Transform>, Error> {
        let one = |(writer, reader)| {
            let transform = self.transform(writer, reader)?;
            if self.config.broker.adapts().is_some() {
                // Why there is none stands in the statistics.
                let _ = transform.compile();
            }
            Ok(transform)
        };
        pairs.into_iter().map(one).collect()
    }

    /// Whether every value that may be written at one end can be read at the other, with all differences; and what may
    /// surprise: logical types that are read raw, variants of unions that text does not tell apart. Nothing is lowered.
    pub fn compatibility(&self, writer: &Endpoint, reader: &Endpoint) -> Compatibility {
        let mut found = compatibility(&writer.schema, &reader.schema, &self.config.rules);
        if let Ok(plan) = resolve(&writer.schema, &reader.schema, &self.config.rules) {
            found.warnings.extend(look_alike(&plan, &(writer.format, reader.format)));
        }
        found
    }

    /// What the engine has done so far, and each of its transforms.
    pub fn stats(&self) -> EngineStats {
        self.config.broker.stats()
    }

    fn build(&self, writer: &Endpoint, reader: &Endpoint) -> Result<Transform, Error> {
        let plan = resolve(&writer.schema, &reader.schema, &self.config.rules)?;
        Transform::new(plan, (writer.format, reader.format), self.config.clone())
    }
}

impl Default for Engine {
    fn default() -> Engine {
        let switches = Switches::read().unwrap_or_else(|why| {
            emit(Event::BadSwitch { why: &why });
            Switches::default()
        });
        Engine::builder().finish(&switches)
    }
}

impl Builder {
    /// Limits on what one value may cost.
    pub fn limits(mut self, limits: Limits) -> Builder {
        self.limits = limits;
        self
    }

    /// Rules of resolution.
    pub fn rules(mut self, rules: ResolutionRules) -> Builder {
        self.rules = rules;
        self
    }

    /// Passes that run; for tests and for finding faults.
    pub fn passes(mut self, passes: PassSet) -> Builder {
        self.passes = passes;
        self
    }

    /// When native code is made. Default [`Tiering::adaptive`]. Variables of the environment may say otherwise.
    pub fn tiering(mut self, tiering: impl Into<Tiering>) -> Builder {
        self.tiering = tiering.into();
        self
    }

    /// Pairs kept, so that asking again costs a look-up. Default 1024.
    pub fn cached_pairs(mut self, pairs: usize) -> Builder {
        self.cached = pairs;
        self
    }

    /// A conversion between two logical types of numbers, where the raw value would be kept otherwise. It costs
    /// nothing where it does not apply.
    pub fn conversion(
        mut self,
        from: Logical,
        to: Logical,
        f: impl Fn(i64) -> Result<i64, String> + Send + Sync + 'static,
    ) -> Builder {
        self.conversions.push(UserConversion { from, to });
        self.users.push(Arc::new(f));
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// A limit that makes no sense (a depth of 0), or a variable of the environment that is not understood.
    pub fn build(mut self) -> Result<Engine, Error> {
        self.limits.depth = self.limits.depth.min(Limits::MAX_DEPTH);
        if self.limits.depth == 0 {
            return Err(Error::new(ErrorKind::Usage, "a depth limit of 0 refuses every value"));
        }
        let switches = Switches::read().map_err(|why| Error::new(ErrorKind::Usage, why))?;
        Ok(self.finish(&switches))
    }

    /// The code generator fails, for tests of what happens then.
    #[doc(hidden)]
    pub fn fault(mut self, fault: Fault) -> Builder {
        self.fault = Some(fault);
        self
    }

    /// Native code counts the ops that it executes, for tests, on one thread.
    #[doc(hidden)]
    pub fn counts(mut self, counts: Arc<OpCounts>) -> Builder {
        self.counts = Some(counts);
        self
    }

    fn finish(self, switches: &Switches) -> Engine {
        let Builder { limits, rules, passes, tiering, conversions, users, cached, fault, counts } = self;
        let options = GeneratorOptions { max_op: switches.max_op, fault, counts, largest: None };
        let broker = Broker::new(switches.over(tiering), options, switches.off());
        let config = Config { limits, rules, passes, broker, conversions, users };
        Engine { config: Arc::new(config), cache: Arc::new(Cache::new(cached)) }
    }
}
