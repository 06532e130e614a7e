//! Faults on demand, so that tests see what happens when the code generator fails. Nothing else uses them.

use crate::compile::Refused;
use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider, SystemMemoryProvider};
use cranelift_module::{ModuleError, ModuleResult};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is to go wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The code generator panics.
    Panic,
    /// The code generator returns an error.
    Error,
    /// The code generator does not return until this is true; then it goes on as if nothing had been.
    Hang(Arc<AtomicBool>),
    /// Memory is written, and must not be executed.
    NotExecutable,
}

impl Fault {
    pub(crate) fn strike(&self) -> Result<(), Refused> {
        match self {
            Fault::Panic => panic!("a fault on demand"),
            Fault::Error => Err(Refused::Generator("a fault on demand".into())),
            Fault::Hang(until) => {
                while !until.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            }
            Fault::NotExecutable => Ok(()),
        }
    }
}

/// Memory that is never made executable.
pub(crate) struct Inert(SystemMemoryProvider);

impl Inert {
    pub(crate) fn new() -> Inert {
        Inert(SystemMemoryProvider::new())
    }
}

impl JITMemoryProvider for Inert {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        self.0.allocate(size, align, kind)
    }

    unsafe fn free_memory(&mut self) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free_memory() }
    }

    fn finalize(&mut self, _: BranchProtection) -> ModuleResult<()> {
        Err(ModuleError::Allocation { err: io::ErrorKind::PermissionDenied.into() })
    }
}
