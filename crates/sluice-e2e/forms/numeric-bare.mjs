// Bare numbers as options, for texts and for integers. Zero is an option, too.
export default {
  key: "lampyris-brightness-changed",
  name: "Brightness Changed",
  version: "0.1.2",
  type: "source",
  props: {
    level: { type: "string", label: "Level", options: [0, 25, 50, 75, 100] },
    floors: { type: "string[]", label: "Floors", options: [-1, 0, 1, 2] },
    room: { type: "integer", label: "Room", options: [7, 11, 13] },
    lamps: { type: "integer[]", label: "Lamps", options: [1, 2, 3] },
  },
  async run() {
    this.$emit([this.level, this.floors, this.room, this.lamps]);
  },
};
