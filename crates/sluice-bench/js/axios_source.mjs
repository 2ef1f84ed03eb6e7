// Emits the body of the request, and imports a package that many components use.
import axios from "axios";

export default {
  name: "Axios",
  version: "0.0.1",
  props: { http: "$.interface.http" },
  run(event) {
    this.$emit({ ...event.body, axios: axios.VERSION });
  },
};
