//! The engine: configuration, and transforms by pair.

use crate::cache::{Cache, ContentKey};
use crate::error::{Error, ErrorKind};
use crate::formats::Endpoint;
use crate::tiering::Tiering;
use crate::transform::Transform;
use reschema_ir::pass::PassSet;
use reschema_lower::UserConversion;
use reschema_runtime::{Limits, UserFn};
use reschema_schema::model::Logical;
use reschema_schema::resolve::ResolutionRules;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes transforms. Cheap to clone; share one in a process.
#[derive(Clone)]
pub struct Engine {
    config: Arc<Config>,
    cache: Arc<Mutex<Cache>>,
}

/// What an engine goes by.
pub(crate) struct Config {
    pub(crate) limits: Limits,
    pub(crate) rules: ResolutionRules,
    pub(crate) passes: PassSet,
    pub(crate) tiering: Tiering,
    pub(crate) conversions: Vec<UserConversion>,
    pub(crate) users: Vec<UserFn>,
}

/// Configures an [`Engine`].
pub struct Builder {
    config: Config,
    cached: usize,
}

impl Engine {
    /// The defaults, to be changed.
    pub fn builder() -> Builder {
        Builder {
            config: Config {
                limits: Limits::default(),
                rules: ResolutionRules::default(),
                passes: PassSet::all(),
                tiering: Tiering::default(),
                conversions: Vec::new(),
                users: Vec::new(),
            },
            cached: 1024,
        }
    }

    /// The transform from one end to the other. Resolution and lowering happen once a pair; asking again with the
    /// same [`Schema`](crate::Schema) objects is a look-up.
    ///
    /// # Errors
    /// The schemas do not resolve (every difference is listed), or a format cannot carry a shape.
    pub fn transform(&self, writer: Endpoint, reader: Endpoint) -> Result<Transform, Error> {
        if let Some(found) = self.cache().by_object(&writer, &reader) {
            return Ok(found);
        }
        let key = ContentKey::new(&writer, &reader);
        if let Some(found) = self.cache().by_content(&key, &writer, &reader) {
            return Ok(found);
        }
        let transform = self.build(&writer, &reader)?;
        self.cache().insert(key, &writer, &reader, &transform);
        Ok(transform)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // A panic elsewhere cannot leave the maps half changed in a way that matters.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn build(&self, writer: &Endpoint, reader: &Endpoint) -> Result<Transform, Error> {
        let plan = reschema_schema::resolve::resolve(&writer.schema, &reader.schema, &self.config.rules)?;
        Transform::new(plan, (writer.format, reader.format), self.config.clone())
    }
}

impl Default for Engine {
    fn default() -> Engine {
        let Builder { config, cached } = Engine::builder();
        Engine { config: Arc::new(config), cache: Arc::new(Mutex::new(Cache::new(cached))) }
    }
}

impl Builder {
    /// Limits on what one value may cost.
    pub fn limits(mut self, limits: Limits) -> Builder {
        self.config.limits = limits;
        self
    }

    /// Rules of resolution.
    pub fn rules(mut self, rules: ResolutionRules) -> Builder {
        self.config.rules = rules;
        self
    }

    /// Passes that run; for tests and for finding faults.
    pub fn passes(mut self, passes: PassSet) -> Builder {
        self.config.passes = passes;
        self
    }

    /// When native code is made. Default [`Tiering::interpreter`].
    pub fn tiering(mut self, tiering: Tiering) -> Builder {
        self.config.tiering = tiering;
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
        self.config.conversions.push(UserConversion { from, to });
        self.config.users.push(Arc::new(f));
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// A limit that makes no sense (a depth of 0).
    pub fn build(mut self) -> Result<Engine, Error> {
        self.config.limits.depth = self.config.limits.depth.min(Limits::MAX_DEPTH);
        if self.config.limits.depth == 0 {
            return Err(Error::new(ErrorKind::Usage, "a depth limit of 0 refuses every value"));
        }
        Ok(Engine { config: Arc::new(self.config), cache: Arc::new(Mutex::new(Cache::new(self.cached))) })
    }
}
