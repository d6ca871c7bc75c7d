// The order counts: the state of the page begins with the copy, and its parts show that state.
import './copy.js'
import './parts.js'
import '../main.js'
