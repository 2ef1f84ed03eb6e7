//! The threads that bundle: apart from the caller's, so that a large component holds up nothing else, and with stacks for the
//! deepest code that is let through.

use std::{io, sync::OnceLock};

use tokio::runtime::{Builder, Runtime};

pub(crate) const STACK: usize = 32 << 20;

pub(crate) fn runtime() -> Result<&'static Runtime, &'static io::Error> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    RUNTIME.get_or_init(start).as_ref()
}

fn start() -> io::Result<Runtime> {
    // The bundler also works on the threads of this pool. It fails only when the pool is there already.
    let _ = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build_global();
    Builder::new_multi_thread()
        .thread_name("bundle")
        .thread_stack_size(STACK)
        .enable_all()
        .build()
}
