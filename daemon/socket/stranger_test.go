package socket

// strangerVariable makes the test binary play a second user, who acts on the
// socket or folder that it names.
const strangerVariable = "WINNOW_DOOR_STRANGER"
