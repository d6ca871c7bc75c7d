## Shows the lobbies, takes a seat, and links this device.
extends VBoxContainer

var matchmaker := Matchmaker.new()
var modes := OptionButton.new()
var regions := OptionButton.new()
var lobbies := ItemList.new()
var status := Label.new()
var socket := StreamPeerTCP.new()


func _ready() -> void:
	add_child(matchmaker)
	lobbies.custom_minimum_size = Vector2(0, 200)
	regions.add_item("nearest")
	for control in [modes, regions, lobbies, _button("Play", _play), _button("Link this device", _link), status]:
		add_child(control)
	await _show_lobbies()


func _button(text: String, pressed: Callable) -> Button:
	var button := Button.new()
	button.text = text
	button.pressed.connect(pressed)
	return button


func _show_lobbies() -> void:
	var answer := await matchmaker.list_lobbies()
	if answer.status != 200:
		status.text = _reason(answer)
		return
	var list: Dictionary = answer.body
	if modes.item_count == 0:
		for mode in list.game_modes:
			modes.add_item(mode.game_mode_id)
		for region in list.regions:
			regions.add_item(region.region_display_name)
			regions.set_item_metadata(-1, region.region_id)
	lobbies.clear()
	for lobby in list.lobbies:
		var seats := "%d of %d players" % [lobby.total_player_count, lobby.max_players_normal]
		lobbies.add_item("%s in %s: %s" % [lobby.game_mode_id, lobby.region_id, seats])


func _play() -> void:
	status.text = "Looking for a lobby …"
	var chosen: Variant = regions.get_selected_metadata()
	var answer := await matchmaker.find_seat(modes.get_item_text(modes.selected), chosen if chosen != null else "")
	if answer.status != 200:
		status.text = _reason(answer)
		return
	var seat: Dictionary = answer.body
	var welcome := await _connect(seat.ports.default.hostname, int(seat.ports.default.port), seat.player.token)
	status.text = "%s: %s" % [seat.lobby.region.display_name, welcome]
	await _show_lobbies()


## Connects to the game server, which takes the token of the player first. Returns its answer.
func _connect(host: String, port: int, player_token: String) -> String:
	socket.disconnect_from_host()
	if socket.connect_to_host(host, port) != OK:
		return "the game server is away"
	while socket.get_status() == StreamPeerTCP.STATUS_CONNECTING:
		await get_tree().process_frame
		socket.poll()
	if socket.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		return "the game server is away"
	socket.put_data((player_token + "\n").to_utf8_buffer())
	while socket.get_status() == StreamPeerTCP.STATUS_CONNECTED and socket.get_available_bytes() == 0:
		await get_tree().process_frame
		socket.poll()
	return socket.get_utf8_string(socket.get_available_bytes()).strip_edges()


func _link() -> void:
	var answer := await matchmaker.prepare_link()
	if answer.status != 200:
		status.text = _reason(answer)
		return
	var prepared: Dictionary = answer.body
	status.text = "Open " + prepared.device_link_url
	OS.shell_open(prepared.device_link_url)
	var cloud_token := await matchmaker.wait_for_cloud_token(prepared.device_link_token)
	status.text = "The link was refused." if cloud_token.is_empty() else "This device is linked."


func _reason(answer: Dictionary) -> String:
	return answer.body.get("code", "The matchmaker cannot be reached.")
