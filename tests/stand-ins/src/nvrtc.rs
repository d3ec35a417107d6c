//! NVRTC's functions.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int};
use std::fmt::Write;
use std::sync::{Arc, Mutex};

use crate::abi::{Answer, Given, Handle, Outcome, Status, export};
use crate::host::locked;
use crate::modules::CODE;
use crate::objects::{self, Object};
use crate::source::{compile, kernels};

const COMPILATION: Status = 6;
const INVALID_OPTION: Status = 5;
const INVALID_PROGRAM: Status = 4;

/// A program: its source, and what the compiler has made of it and said.
pub(crate) struct Program {
    source: String,
    code: String,
    log: String,
}

fn program(handle: Handle) -> Outcome<Arc<Mutex<Program>>> {
    objects::program(handle).map_err(|_| INVALID_PROGRAM)
}

/// The text with the zero at its end.
fn text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes
}

impl Program {
    fn compile(&mut self, options: &[String]) -> Outcome {
        let is_known = |option: &&String| {
            ["-D", "--gpu-arch", "-arch", "--std", "-std", "--use_fast_math"]
                .iter()
                .any(|start| option.starts_with(start))
        };
        if let Some(option) = options.iter().find(|option| !is_known(option)) {
            self.log = format!("the stand-in does not know the option {option}");
            return Err(INVALID_OPTION);
        }
        let defines: Vec<String> =
            options.iter().filter(|option| option.starts_with("-D")).cloned().collect();
        let (mut more, mut code) = (String::new(), String::new());
        for kernel in kernels(&self.source) {
            let _ = writeln!(more, "PLAY({})", kernel.name);
            let _ = writeln!(code, "{} {}", kernel.name, kernel.most_threads);
        }
        match compile(&self.source, &defines, &more) {
            Ok(library) => self.code = format!("{CODE}{}\n{code}", library.display()),
            Err(words) => {
                self.log = words;
                return Err(COMPILATION);
            }
        }
        Ok(())
    }
}

export! {
    fn nvrtcVersion(major: Answer<c_int>, minor: Answer<c_int>) {
        major.set(12);
        minor.set(4);
        Ok(())
    }
    fn nvrtcCreateProgram(
        handle: Answer<Handle>, source: Given<c_char>, _name: Given<c_char>, _count: c_int,
        _headers: u64, _names: u64,
    ) {
        let program = Program { source: source.text(), code: String::new(), log: String::new() };
        handle.set(objects::add(Object::Program(Arc::new(Mutex::new(program)))));
        Ok(())
    }
    fn nvrtcDestroyProgram(handle: Answer<Handle>) {
        objects::remove(handle.get()).map(drop).map_err(|_| INVALID_PROGRAM)
    }
    fn nvrtcCompileProgram(handle: Handle, count: c_int, options: Given<Given<c_char>>) {
        let count = usize::try_from(count).unwrap_or(0);
        let options: Vec<String> = (0..count).map(|index| options.at(index).text()).collect();
        locked(&*program(handle)?).compile(&options)
    }
    fn nvrtcGetPTXSize(handle: Handle, bytes: Answer<usize>) {
        bytes.set(locked(&*program(handle)?).code.len() + 1);
        Ok(())
    }
    fn nvrtcGetPTX(handle: Handle, code: Answer<u8>) {
        code.fill(&text(&locked(&*program(handle)?).code));
        Ok(())
    }
    fn nvrtcGetCUBINSize(handle: Handle, bytes: Answer<usize>) {
        bytes.set(locked(&*program(handle)?).code.len() + 1);
        Ok(())
    }
    fn nvrtcGetCUBIN(handle: Handle, code: Answer<u8>) {
        code.fill(&text(&locked(&*program(handle)?).code));
        Ok(())
    }
    fn nvrtcGetProgramLogSize(handle: Handle, bytes: Answer<usize>) {
        bytes.set(locked(&*program(handle)?).log.len() + 1);
        Ok(())
    }
    fn nvrtcGetProgramLog(handle: Handle, log: Answer<u8>) {
        log.fill(&text(&locked(&*program(handle)?).log));
        Ok(())
    }
}

/// What NVRTC calls an error.
#[unsafe(no_mangle)]
extern "C" fn nvrtcGetErrorString(status: c_int) -> *const c_char {
    let words = match status {
        0 => c"NVRTC_SUCCESS",
        INVALID_PROGRAM => c"NVRTC_ERROR_INVALID_PROGRAM",
        INVALID_OPTION => c"NVRTC_ERROR_INVALID_OPTION",
        COMPILATION => c"NVRTC_ERROR_COMPILATION",
        _ => c"NVRTC_ERROR_INTERNAL_ERROR",
    };
    words.as_ptr()
}
