## Calls the service with Godot's own HTTPRequest.
class_name Matchmaker
extends Node

## The method and the path of each call. `npm test` sends them to a mock.
const CALLS := {
	"list": ["GET", "/matchmaker/lobbies/list"],
	"find": ["POST", "/matchmaker/lobbies/find"],
	"prepare": ["POST", "/cloud/devices/links"],
	"link": ["GET", "/cloud/devices/links"]
}

## `npx mockmaker env` prints both variables.
var url := OS.get_environment("RIVET_API_ENDPOINT")
var token := OS.get_environment("RIVET_TOKEN")


func _init() -> void:
	if url.is_empty():
		url = "http://127.0.0.1:4100"


## Returns the open lobbies, with the regions and the game modes. `status` is 200 if it could.
func list_lobbies() -> Dictionary:
	return await _send("list")


## Finds a seat. Without a region, the nearest one counts. The answer comes when the game server is ready.
func find_seat(mode: String, region := "") -> Dictionary:
	var body := {"game_modes": [mode]}
	if not region.is_empty():
		body["regions"] = [region]
	return await _send("find", "", body)


## Begins a device link: a person opens its URL, and agrees.
func prepare_link() -> Dictionary:
	return await _send("prepare", "", {})


## Waits until the link is completed. Returns the cloud token, or an empty text if the service refuses the link.
func wait_for_cloud_token(link_token: String) -> String:
	var index := ""
	var failures := 0
	var fast := 0
	while true:
		var query := "?device_link_token=" + link_token.uri_encode()
		if not index.is_empty():
			query += "&watch_index=" + index
		var asked_at := Time.get_ticks_msec()
		var answer := await _send("link", query)
		var link: Dictionary = answer.body
		if answer.status == 200:
			if link.has("cloud_token"):
				return link.cloud_token
			index = link.watch.index
			failures = 0
			# A watch that answers at once, again and again, must not make a busy loop.
			fast = fast + 1 if Time.get_ticks_msec() - asked_at < 400 else 0
			if fast > 1:
				await _pause(fast - 2)
		elif answer.status >= 400 and answer.status < 500 and answer.status != 429:
			return ""
		else:
			await _pause(failures, answer.retry_after)
			failures += 1
	return ""


## Waits 0.25 s, 0.5 s, 1 s, 2 s, and then 4 s, but not less than `least` seconds.
func _pause(n: int, least := 0.0) -> void:
	await get_tree().create_timer(maxf(least, 0.25 * pow(2, mini(n, 4)))).timeout


## Returns the seconds for which the service asks a client to wait. 0 if it does not.
func _retry_after(headers: PackedStringArray) -> float:
	for header in headers:
		if header.to_lower().begins_with("retry-after:"):
			return header.get_slice(":", 1).strip_edges().to_float()
	return 0.0


## Sends a call. Returns the status, 0 without an answer, the body, and the seconds of `retry-after`.
func _send(id: String, query := "", body: Variant = null) -> Dictionary:
	var http := HTTPRequest.new()
	# The service answers within 40 s. After 60 s the connection is dead.
	http.timeout = 60
	add_child(http)
	var target: Array = CALLS[id]
	var method := HTTPClient.METHOD_POST if target[0] == "POST" else HTTPClient.METHOD_GET
	var headers := PackedStringArray()
	if not token.is_empty():
		headers.append("Authorization: Bearer " + token)
	var text := "" if body == null else JSON.stringify(body)
	if http.request(url + target[1] + query, headers, method, text) != OK:
		http.queue_free()
		return {"status": 0, "body": {}, "retry_after": 0.0}
	var completed: Array = await http.request_completed
	http.queue_free()
	var parsed: Variant = JSON.parse_string(completed[3].get_string_from_utf8())
	return {
		"status": completed[1],
		"body": parsed if parsed is Dictionary else {},
		"retry_after": _retry_after(completed[2])
	}
