//! ID tokens, genuine and hostile ones, and addresses to return to.

use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use ring::{
    hmac,
    rand::SystemRandom,
    rsa,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
        RsaKeyPair,
    },
};
use serde_json::{Value, json};

use super::{
    id_token::{Claims, Expected, TokenError, verify},
    keys::KeySet,
    own_address,
};

const ISSUER: &str = "https://id.example.com";
const CLIENT: &str = "sluice";
const NONCE: &str = "n-0S6";
const NOW: i64 = 1_700_000_000;

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn ed25519() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[1; 32]).unwrap()
}

fn ed25519_key(id: &str) -> Value {
    let x = encoded(ed25519().public_key());
    json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "use": "sig", "x": x })
}

fn key_set(keys: &[Value]) -> KeySet {
    KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": CLIENT, "sub": "ada", "nonce": NONCE, "iat": NOW, "exp": NOW + 300,
        "email": "ada@example.com", "email_verified": true })
}

/// The claims, with some of them replaced; those that become null are left out.
fn with(changes: Value) -> Value {
    let mut claims = claims();
    let (Value::Object(all), Value::Object(changes)) = (&mut claims, changes) else {
        panic!("objects");
    };
    all.extend(changes);
    all.retain(|_, value| !value.is_null());
    claims
}

fn token(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let signed = format!(
        "{}.{}",
        encoded(header.to_string()),
        encoded(claims.to_string())
    );
    let signature = sign(signed.as_bytes());
    format!("{signed}.{}", encoded(signature))
}

fn signed(claims: &Value) -> String {
    let header = json!({ "alg": "EdDSA", "kid": "one" });
    token(&header, claims, |message| {
        ed25519().sign(message).as_ref().to_vec()
    })
}

fn verified(token: &str, keys: &KeySet) -> Result<Claims, TokenError> {
    let expected = Expected {
        issuer: ISSUER,
        client_id: CLIENT,
        nonce: NONCE,
        now_ms: NOW * 1000,
    };
    verify(token, keys, &expected)
}

/// The error of claims that the right key signed.
fn error_of(changes: Value) -> String {
    let keys = key_set(&[ed25519_key("one")]);
    let error = verified(&signed(&with(changes)), &keys).unwrap_err();
    error.to_string()
}

#[test]
fn a_token_of_each_algorithm_is_accepted() {
    let random = SystemRandom::new();
    let p256 = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(p256, &random).unwrap();
    let p256 = EcdsaKeyPair::from_pkcs8(p256, document.as_ref(), &random).unwrap();
    let (x, y) = p256.public_key().as_ref()[1..].split_at(32);
    let text: String = include_str!("tests/rsa-key.txt").lines().collect();
    let rsa = RsaKeyPair::from_pkcs8(&BASE64_STANDARD.decode(text).unwrap()).unwrap();
    let public: rsa::PublicKeyComponents<Vec<u8>> = rsa.public().into();
    let keys = key_set(&[
        ed25519_key("one"),
        json!({ "kty": "EC", "crv": "P-256", "kid": "two", "x": encoded(x), "y": encoded(y) }),
        json!({ "kty": "RSA", "kid": "three", "alg": "RS256", "n": encoded(public.n), "e": encoded(public.e) }),
        json!({ "kty": "EC", "crv": "P-521", "kid": "four", "x": "", "y": "" }),
        json!("garbage"),
    ]);
    let ada = verified(&signed(&claims()), &keys).unwrap();
    assert_eq!((ada.sub.as_str(), ada.email_verified), ("ada", true));
    let by_p256 = token(&json!({ "alg": "ES256", "kid": "two" }), &claims(), |it| {
        p256.sign(&random, it).unwrap().as_ref().to_vec()
    });
    assert_eq!(verified(&by_p256, &keys), Ok(ada.clone()));
    let by_rsa = |header: Value| {
        token(&header, &claims(), |message| {
            let mut signature = vec![0; rsa.public().modulus_len()];
            rsa.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                .unwrap();
            signature
        })
    };
    let named = by_rsa(json!({ "alg": "RS256", "kid": "three" }));
    assert_eq!(verified(&named, &keys), Ok(ada.clone()));
    // The only key of its kind need not be named.
    assert_eq!(verified(&by_rsa(json!({ "alg": "RS256" })), &keys), Ok(ada));
    // A key decides its algorithm.
    let confused = by_rsa(json!({ "alg": "RS256", "kid": "two" }));
    assert_eq!(verified(&confused, &keys), Err(TokenError::UnknownKey));
}

#[test]
fn a_token_without_a_signature_or_with_a_symmetric_one_is_rejected() {
    let keys = key_set(&[ed25519_key("one")]);
    for name in ["none", "None", "NONE", "", "HS256", "ES384"] {
        let header = json!({ "alg": name, "kid": "one" });
        let error = verified(&token(&header, &claims(), |_| Vec::new()), &keys);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("RS256, ES256 and EdDSA"), "{name}: {error}");
    }
    // The public key as a shared secret.
    let by_hmac = token(&json!({ "alg": "HS256", "kid": "one" }), &claims(), |it| {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, ed25519().public_key().as_ref());
        hmac::sign(&secret, it).as_ref().to_vec()
    });
    assert!(verified(&by_hmac, &keys).is_err());
    let critical = json!({ "alg": "EdDSA", "kid": "one", "crit": ["b64"] });
    let critical = token(&critical, &claims(), |it| {
        ed25519().sign(it).as_ref().to_vec()
    });
    assert!(verified(&critical, &keys).is_err());
}

#[test]
fn a_signature_by_another_key_or_of_other_claims_is_rejected() {
    let keys = key_set(&[ed25519_key("one")]);
    let genuine = signed(&claims());
    let (_, signature) = genuine.rsplit_once('.').unwrap();
    let other = signed(&with(json!({ "sub": "eve" })));
    let (content, _) = other.rsplit_once('.').unwrap();
    let invalid = "the signature of its ID token is not valid";
    let error = verified(&format!("{content}.{signature}"), &keys).unwrap_err();
    assert_eq!(error.to_string(), invalid);
    let unknown = key_set(&[ed25519_key("two")]);
    assert_eq!(verified(&genuine, &unknown), Err(TokenError::UnknownKey));
    let stranger = Ed25519KeyPair::from_seed_unchecked(&[2; 32]).unwrap();
    let header = json!({ "alg": "EdDSA", "kid": "one" });
    let forged = token(&header, &claims(), |it| stranger.sign(it).as_ref().to_vec());
    assert_eq!(verified(&forged, &keys).unwrap_err().to_string(), invalid);
    for garbage in ["", ".", "..", "a.b", "a.b.c", &genuine[1..]] {
        assert!(verified(garbage, &keys).is_err(), "{garbage}");
    }
    // An unnamed key must be the only one.
    let two = key_set(&[ed25519_key("one"), ed25519_key("two")]);
    let unnamed = token(&json!({ "alg": "EdDSA" }), &claims(), |it| {
        ed25519().sign(it).as_ref().to_vec()
    });
    assert!(verified(&unnamed, &keys).is_ok());
    assert!(verified(&unnamed, &two).is_err());
}

#[test]
fn claims_for_others_are_rejected() {
    for issuer in ["https://id.example.com/", "https://evil.example.com"] {
        let error = error_of(json!({ "iss": issuer }));
        assert_eq!(error, "its ID token is from another issuer");
    }
    for audience in [
        json!({ "aud": "other" }),
        json!({ "aud": ["other"] }),
        json!({ "aud": [] }),
        json!({ "aud": [CLIENT, "other"] }),
        json!({ "aud": [CLIENT, "other"], "azp": "other" }),
        json!({ "azp": "other" }),
    ] {
        let error = error_of(audience.clone());
        assert_eq!(error, "its ID token is for another client", "{audience}");
    }
    let keys = key_set(&[ed25519_key("one")]);
    let shared = with(json!({ "aud": [CLIENT, "other"], "azp": CLIENT }));
    assert!(verified(&signed(&shared), &keys).is_ok());
    for nonce in [json!({ "nonce": "other" }), json!({ "nonce": null })] {
        assert_eq!(error_of(nonce), "its ID token is for another sign-in");
    }
    for sub in [json!(""), json!("x".repeat(256))] {
        assert_eq!(
            error_of(json!({ "sub": sub })),
            "its ID token names no person"
        );
    }
}

#[test]
fn a_token_counts_in_its_time_only() {
    for expired in [json!(NOW - 60), json!(0), json!(-1)] {
        let error = error_of(json!({ "exp": expired }));
        assert_eq!(error, "its ID token has expired");
    }
    for early in [json!({ "iat": NOW + 61 }), json!({ "nbf": NOW + 61 })] {
        assert!(error_of(early).contains("not valid yet"));
    }
    let keys = key_set(&[ed25519_key("one")]);
    let tolerated = with(json!({ "exp": NOW - 59, "iat": NOW + 60, "nbf": 1_700_000_060.0 }));
    assert!(verified(&signed(&tolerated), &keys).is_ok());
    assert!(error_of(json!({ "exp": null })).contains("malformed"));
}

#[test]
fn a_verified_address_may_be_written_as_text() {
    let keys = key_set(&[ed25519_key("one")]);
    for (value, expected) in [
        (json!("true"), true),
        (json!("false"), false),
        (json!(1), false),
        (json!(null), false),
    ] {
        let claims = with(json!({ "email_verified": value }));
        let claims = verified(&signed(&claims), &keys).unwrap();
        assert_eq!(claims.email_verified, expected, "{value}");
    }
}

#[test]
fn only_addresses_of_this_server_are_returned_to() {
    let own = |address: &str| own_address("https://sluice.example.com", address);
    assert_eq!(own("/a?b=c#d"), "https://sluice.example.com/a?b=c#d");
    assert_eq!(
        own("https://sluice.example.com/x"),
        "https://sluice.example.com/x"
    );
    for other in [
        "https://evil.example.com/",
        "//evil.example.com/",
        "/\\evil.example.com",
        "http://sluice.example.com/",
        "javascript:alert(1)",
        "https://sluice.example.com@evil.example.com",
    ] {
        assert_eq!(own(other), "https://sluice.example.com/", "{other}");
    }
    // An address that begins with two slashes stays on this server.
    assert_eq!(
        own("/.//evil.example.com"),
        "https://sluice.example.com//evil.example.com"
    );
}
