//! A bell that signals ring, and an ear that waits for it: handlers of signals may do little else.

pub(super) use system::{Bell, Ear, pair};

/// Bytes through a pair of sockets.
#[cfg(unix)]
mod system {
    use std::io::{self, Read};
    use std::os::unix::net::UnixStream;

    use signal_hook::low_level::pipe;

    #[derive(Debug)]
    pub(in super::super) struct Bell(UnixStream);

    #[derive(Debug)]
    pub(in super::super) struct Ear(UnixStream);

    /// A bell, and who hears it.
    pub(in super::super) fn pair() -> io::Result<(Bell, Ear)> {
        let (ear, bell) = UnixStream::pair()?;
        Ok((Bell(bell), Ear(ear)))
    }

    impl Bell {
        /// Has `signal` ring it, after what was registered for that signal before.
        pub(in super::super) fn ring_on(&self, signal: i32) -> io::Result<()> {
            pipe::register(signal, self.0.try_clone()?).map(drop)
        }
    }

    impl Ear {
        /// Waits until it rings; says whether it did: nobody may be left who rings it.
        pub(in super::super) fn wait(&mut self) -> bool {
            self.0.read_exact(&mut [0]).is_ok()
        }
    }
}

/// A flag that is looked at again and again: Windows has no signals through sockets.
#[cfg(not(unix))]
mod system {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use signal_hook::flag;

    /// Time between two looks.
    const PAUSE: Duration = Duration::from_millis(50);

    #[derive(Debug)]
    pub(in super::super) struct Bell(Arc<AtomicBool>);

    #[derive(Debug)]
    pub(in super::super) struct Ear(Arc<AtomicBool>);

    /// A bell, and who hears it.
    pub(in super::super) fn pair() -> io::Result<(Bell, Ear)> {
        let rung = Arc::default();
        Ok((Bell(Arc::clone(&rung)), Ear(rung)))
    }

    impl Bell {
        /// Has `signal` ring it, after what was registered for that signal before.
        pub(in super::super) fn ring_on(&self, signal: i32) -> io::Result<()> {
            flag::register(signal, Arc::clone(&self.0)).map(drop)
        }
    }

    impl Ear {
        /// Waits until it rings.
        pub(in super::super) fn wait(&mut self) -> bool {
            while !self.0.swap(false, Ordering::SeqCst) {
                std::thread::sleep(PAUSE);
            }
            true
        }
    }
}
