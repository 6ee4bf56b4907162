play.up()
play.say("ready")
play.decide("The tests need port 5434.", "Reject")
play.no_window("keepgate-question")
