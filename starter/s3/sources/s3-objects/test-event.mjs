export default {
  bucket: "example-reports",
  key: "reports/2025/01/15.csv",
  size: 4217,
  etag: "9bb58f26192e4ba00f01e2e7b136bbd8",
  last_modified: "2025-01-15T09:30:00.000Z",
  storage_class: "STANDARD",
};
