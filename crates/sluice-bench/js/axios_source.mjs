// Emits what it gets, and needs a package that most components need.
import axios from "axios";

export default {
  name: "Axios",
  version: "0.0.1",
  props: { http: "$.interface.http" },
  run(event) {
    this.$emit({ ...event.body, axios: axios.VERSION });
  },
};
