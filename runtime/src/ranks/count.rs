//! Messages and bytes of a program.
