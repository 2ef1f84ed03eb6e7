//! Servers on loopback that live as long as the test process.

use std::{net::TcpListener, path::Path, thread};

use axum::{
    Router,
    http::{StatusCode, Uri},
};

/// Serves on a free port, on a thread of its own, since tests come and go with their runtimes; gives the address.
pub(super) fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("a socket of ours");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            axum::serve(listener, router)
                .await
                .expect("it serves for ever");
        });
    });
    format!("http://{address}")
}

/// Serves the files below a folder.
pub(super) fn serve_files(folder: &'static Path) -> String {
    serve(Router::new().fallback(async move |uri: Uri| {
        let path = folder.join(uri.path().trim_start_matches('/'));
        std::fs::read_to_string(path).map_err(|_| StatusCode::NOT_FOUND)
    }))
}
