//! `$.respond`.

use crate::support::run;

#[tokio::test]
async fn an_answer_waits_for_the_end_of_the_run() {
    let ran = run("$.respond({ status: 202, headers: { 'x-a': 'b' }, body: { c: 1 } }); $.respond({ status: 500 })").await;
    ran.ok();
    let reply = ran.step().reply.as_ref().expect("a reply");
    assert_eq!((reply.status, &reply.body[..]), (202, &br#"{"c":1}"#[..]));
    let header = |name: &str| {
        reply
            .headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    };
    assert_eq!(header("x-a"), Some("b"));
    assert_eq!(
        header("content-type"),
        Some("application/json; charset=utf-8")
    );
    assert!(ran.replied.is_none());
}

#[tokio::test]
async fn an_immediate_answer_is_sent_at_once() {
    let ran = run("await $.respond({ statusCode: '200', body: new Uint8Array([1, 255]), immediate: true }); $.respond({ status: 500 })").await;
    ran.ok();
    let reply = ran.replied.as_ref().expect("a reply");
    assert_eq!((reply.status, &reply.body[..]), (200, &[1, 255][..]));
    assert!(ran.step().reply.is_none());
}

#[tokio::test]
async fn an_answer_needs_a_status() {
    for reply in [
        "{ body: 'x' }",
        "{ status: 99 }",
        "undefined",
        "{ status: 'ok', immediate: true }",
    ] {
        let ran = run(&format!("await $.respond({reply})")).await;
        assert!(
            ran.failure()
                .message
                .starts_with("respond needs a status from 100 to 599"),
            "{reply}"
        );
        assert!(ran.replied.is_none() && ran.step().reply.is_none());
    }
}

#[tokio::test]
async fn a_stream_is_sent_whole_and_must_be_awaited() {
    let ran = run("const { Readable } = await import('stream');
         await $.respond({ status: 200, body: Readable.from(['a', Buffer.from('b')]) })")
    .await;
    ran.ok();
    assert_eq!(&ran.step().reply.as_ref().expect("a reply").body[..], b"ab");
    let ran =
        run("await $.respond({ status: 200, body: new Blob(['x']).stream(), immediate: true })")
            .await;
    assert_eq!(
        ran.failure().message,
        "a stream cannot be an immediate answer"
    );
}

#[tokio::test]
async fn the_answer_of_a_step_that_failed_is_kept() {
    let ran = run("$.respond({ status: 418 }); throw new Error('oh')").await;
    assert_eq!(ran.failure().message, "oh");
    assert_eq!(
        ran.step().reply.as_ref().map(|reply| reply.status),
        Some(418)
    );
}
