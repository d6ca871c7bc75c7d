# A whole session by Godot's own HTTPRequest: no Content-Type, a body with each method, and null for what is left out.
# Prints each answer as one line of JSON: [result, status, body].
extends SceneTree

var http = HTTPRequest.new()

func _init():
	get_root().add_child(http)
	call_deferred("_play")

func _play():
	var player = OS.get_environment("RIVET_TOKEN")
	var server = OS.get_environment("SERVER_TOKEN")
	yield(_call(player, HTTPClient.METHOD_GET, "/matchmaker/regions", {}), "completed")
	var seat = yield(_call(player, HTTPClient.METHOD_POST, "/matchmaker/lobbies/find", {
		"game_modes": ["ffa"], "regions": null, "prevent_auto_create_lobby": true
	}), "completed")
	var joined = {"player_token": seat.player.token}
	yield(_call(server, HTTPClient.METHOD_POST, "/matchmaker/lobbies/ready", {}), "completed")
	yield(_call(server, HTTPClient.METHOD_POST, "/matchmaker/players/connected", joined), "completed")
	yield(_call(server, HTTPClient.METHOD_PUT, "/matchmaker/lobbies/state", {"map": "Ødegård"}), "completed")
	yield(_call(server, HTTPClient.METHOD_PUT, "/matchmaker/lobbies/closed", {}), "completed")
	yield(_call(player, HTTPClient.METHOD_GET, "/matchmaker/lobbies/list?include_state=true", {}), "completed")
	yield(_call(server, HTTPClient.METHOD_POST, "/matchmaker/players/disconnected", joined), "completed")
	quit()

func _call(token, method, path, body):
	var url = OS.get_environment("RIVET_API_ENDPOINT") + path
	http.request(url, ["Authorization: Bearer " + token], false, method, JSON.print(body))
	var answer = yield(http, "request_completed")
	var read = JSON.parse(answer[3].get_string_from_utf8()).result
	print(JSON.print([answer[0], answer[1], read]))
	return read
