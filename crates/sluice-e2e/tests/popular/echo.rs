//! A server on loopback that answers with what it was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// Starts it for as long as the test runs; gives its address.
pub(crate) async fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    format!("http://{address}")
}

async fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).await?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let headers = headers(&mut reader).await?;
    let body = body(&mut reader, &headers).await?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query: BTreeMap<&str, &str> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .collect();
    let (status, reply) = match path {
        "/404" => ("404 Not Found", json!({})),
        "/graphql" => ("200 OK", json!({ "data": { "a": 1 } })),
        _ => (
            "200 OK",
            json!({
                "ok": true, "method": method, "path": path, "query": query, "headers": headers, "text": body,
                "body": serde_json::from_str(&body).unwrap_or(Value::Null),
            }),
        ),
    };
    let reply = reply.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        reply.len()
    );
    reader
        .get_mut()
        .write_all(format!("{head}{reply}").as_bytes())
        .await
}

async fn headers(reader: &mut BufReader<TcpStream>) -> std::io::Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(headers);
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
}

async fn body(
    reader: &mut BufReader<TcpStream>,
    headers: &BTreeMap<String, String>,
) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(length) = headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
    {
        bytes.resize(length, 0);
        reader.read_exact(&mut bytes).await?;
    } else if headers.contains_key("transfer-encoding") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).await?;
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).await?;
            if size == 0 {
                break;
            }
            bytes.extend_from_slice(&chunk[..size]);
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
