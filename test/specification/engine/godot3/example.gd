# The calls of examples/godot for Godot 3, which has no await: lists, finds, begins a device link, and waits for it.
# Prints each answer as one line of JSON: [result, status, body].
extends SceneTree

const CALLS := {
	"list": ["GET", "/matchmaker/lobbies/list"],
	"find": ["POST", "/matchmaker/lobbies/find"],
	"prepare": ["POST", "/cloud/devices/links"],
	"link": ["GET", "/cloud/devices/links"]
}

var http = HTTPRequest.new()

func _init():
	get_root().add_child(http)
	call_deferred("_play")

func _play():
	yield(_send("list"), "completed")
	yield(_send("find", "", {"game_modes": ["duel"]}), "completed")
	var prepared = yield(_send("prepare", "", {}), "completed")
	var query = "?device_link_token=" + prepared.device_link_token.http_escape()
	var link = yield(_send("link", query), "completed")
	yield(_send("link", query + "&watch_index=" + link.watch.index), "completed")
	quit()

func _send(id, query = "", body = null):
	var target = CALLS[id]
	var method = HTTPClient.METHOD_POST if target[0] == "POST" else HTTPClient.METHOD_GET
	var headers = ["Authorization: Bearer " + OS.get_environment("RIVET_TOKEN")]
	var text = "" if body == null else JSON.print(body)
	http.request(OS.get_environment("RIVET_API_ENDPOINT") + target[1] + query, headers, false, method, text)
	var answer = yield(http, "request_completed")
	var read = JSON.parse(answer[3].get_string_from_utf8()).result
	print(JSON.print([answer[0], answer[1], read]))
	return read
