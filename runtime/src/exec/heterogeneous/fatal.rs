//! What ends a run: nothing that any other task could do would help.

use std::sync::Arc;

use super::disk::ScratchError;
use crate::exec::accelerator::DeviceError;
use crate::exec::failures::Cause;
use crate::flow::FlowError;
use crate::memory::OutOfMemory;

/// Why no more tasks can be run.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Fatal {
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl Fatal {
    pub(super) fn into_cause(self) -> Cause {
        Cause::Failed(match self {
            Self::Scratch(error) => error.into(),
            Self::OutOfMemory(error) => error.into(),
            Self::Device(error) => error.into(),
        })
    }

    pub(super) fn into_error(self) -> FlowError {
        match self {
            Self::Scratch(error) => FlowError::Scratch(Arc::new(error)),
            Self::OutOfMemory(error) => FlowError::OutOfMemory(error),
            Self::Device(error) => FlowError::Device(Arc::new(error)),
        }
    }
}
