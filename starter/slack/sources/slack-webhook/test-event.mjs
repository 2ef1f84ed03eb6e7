export default {
  type: "event_callback",
  team_id: "T061EG9R6",
  api_app_id: "A0PNCHHK2",
  event_id: "Ev08MFMKH6",
  event_time: 1736933400,
  event: {
    type: "app_mention",
    user: "U061F7AUR",
    text: "<@U0LAN0Z89> is it everything a river should be?",
    ts: "1736933400.000100",
    channel: "C0LAN2Q65",
    event_ts: "1736933400.000100",
  },
};
