//! Names with a meaning of their own.

/// Global names that expressions may use, and the parameters of CommonJS. A file that declares one of them is not read.
pub(super) const GLOBALS: [&str; 10] = [
    "undefined",
    "NaN",
    "Infinity",
    "Object",
    "Error",
    "require",
    "module",
    "exports",
    "__filename",
    "__dirname",
];

/// Modules of Node that every process can import.
const NODE_MODULES: &str = " assert async_hooks buffer child_process crypto dns events fs fs/promises http http2 https \
    module net os path querystring stream stream/promises string_decoder timers tls tty url util worker_threads zlib ";

/// Exports of these modules that components import by name. Whether there are others is not known here.
const NODE_EXPORTS: [(&str, &str); 8] = [
    (
        "crypto",
        "createHash createHmac createPrivateKey createPublicKey createSign createVerify randomBytes randomUUID sign \
         timingSafeEqual verify",
    ),
    (
        "fs",
        "createReadStream createWriteStream existsSync mkdirSync promises readFileSync statSync unlinkSync writeFileSync",
    ),
    ("fs/promises", "mkdir readFile stat unlink writeFile"),
    ("path", "basename dirname extname join resolve"),
    ("stream", "PassThrough Readable Transform Writable pipeline"),
    ("stream/promises", "pipeline"),
    ("util", "inspect promisify"),
    ("zlib", "createGunzip createGzip gunzipSync gzipSync"),
];

/// Properties that objects, functions and stand-ins have without declaring them.
const INHERITED: [&str; 25] = [
    "__defineGetter__",
    "__defineSetter__",
    "__esModule",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "apply",
    "arguments",
    "bind",
    "call",
    "caller",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "length",
    "name",
    "propertyIsEnumerable",
    "prototype",
    "then",
    "toJSON",
    "toLocaleString",
    "toString",
    "toStringTag",
    "valueOf",
    "size",
];

fn node_name(specifier: &str) -> &str {
    specifier.strip_prefix("node:").unwrap_or(specifier)
}

/// Whether a module of Node has this export, as far as that is known.
pub(super) fn has_node_export(specifier: &str, export: &str) -> bool {
    let module = NODE_EXPORTS
        .iter()
        .find(|(name, _)| *name == node_name(specifier));
    module.is_some_and(|(_, exports)| exports.split(' ').any(|name| name == export))
}

pub(super) fn is_node_module(specifier: &str) -> bool {
    let name = node_name(specifier);
    !name.contains(' ') && NODE_MODULES.contains(&format!(" {name} "))
}

/// Whether a property may be there although no code declares it.
pub(super) fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name)
}

/// Whether an object cannot have this field here: it changes the meaning of the object, or the order of its fields.
pub(super) fn is_special_field(name: &str) -> bool {
    let is_index = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    is_index || matches!(name, "__proto__" | "__esModule" | "toJSON" | "then")
}
