//! The bundler's own threads, so that a large component does not block the caller's. Their stacks fit the deepest code that the
//! nesting guard lets through.

use std::{io, sync::OnceLock};

use tokio::runtime::{Builder, Runtime};

const STACK: usize = 32 << 20;

pub(crate) fn runtime() -> Result<&'static Runtime, &'static io::Error> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    RUNTIME.get_or_init(start).as_ref()
}

fn start() -> io::Result<Runtime> {
    // The bundler also works on the threads of this pool. This fails only if the pool exists already.
    let _ = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build_global();
    Builder::new_multi_thread()
        .thread_name("bundle")
        .thread_stack_size(STACK)
        .enable_all()
        .build()
}
