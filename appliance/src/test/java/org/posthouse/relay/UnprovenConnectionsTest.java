package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Promise;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.peer.PeerUser;
import org.posthouse.relay.io.ConnectionAddresses;

/** Which connection goes when there is no place for one that has just come. Eight places, so two are an owner's share. */
class UnprovenConnectionsTest {
    private static final int PLACES = 8;

    private final Map<ConnectionAddresses, PeerUser> users = new HashMap<>();
    private final List<String> gone = new ArrayList<>();
    private final List<Boolean> pauses = new ArrayList<>();
    private final List<Promise<Map<ConnectionAddresses, PeerUser>>> lookUps = new ArrayList<>();
    private final UnprovenConnections unprovenConnections = new UnprovenConnections(PLACES, asked -> {
        Promise<Map<ConnectionAddresses, PeerUser>> answer = Promise.promise();
        lookUps.add(answer);
        return answer.future();
    }, pauses::add);

    private final class Guest implements UnprovenConnections.Newcomer {
        private final String name;
        private final ConnectionAddresses ends;

        private Guest(String name, ConnectionAddresses ends) {
            this.name = name;
            this.ends = ends;
        }

        @Override
        public ConnectionAddresses ends() {
            return ends;
        }

        @Override
        public void makeRoom(String why) {
            gone.add(name);
        }
    }

    private void localUsersCome(long uid, int count) {
        for (int i = 0; i < count; i++) {
            users.put(comes(uid + "-" + i, "127.0.0.1").ends(), PeerUser.of(uid, 0));
        }
    }

    private void answer() {
        lookUps.getLast().complete(users);
    }

    private Guest comes(String name, String host) {
        ConnectionAddresses ends = new ConnectionAddresses(new InetSocketAddress("192.0.2.1", 7411), new InetSocketAddress(host, 10_000 + users.size()), null);
        users.put(ends, PeerUser.UNKNOWN);
        Guest guest = new Guest(name, ends);
        unprovenConnections.add(guest);
        return guest;
    }

    @Test
    void nobodyIsLookedUpWhileThereArePlaces() {
        localUsersCome(1000, PLACES);
        assertThat(lookUps).isEmpty();
        assertThat(gone).isEmpty();
    }

    @Test
    void theUserWithMostPlacesGivesHisOldest() {
        localUsersCome(1, 1);
        localUsersCome(1000, PLACES);
        assertThat(gone).as("before it is known whose they are").isEmpty();
        assertThat(pauses).containsExactly(true);
        answer();
        assertThat(gone).containsExactly("1000-0");
        assertThat(pauses).containsExactly(true, false);
        localUsersCome(1001, 4);
        assertThat(gone).as("of those who are known").containsExactly("1000-0", "1000-1", "1000-2", "1000-3", "1000-4");
        assertThat(lookUps).hasSize(1);
    }

    @Test
    void connectionsDuringALookUpAreDecidedTogether() {
        localUsersCome(1, 1);
        localUsersCome(1000, PLACES + 2);
        assertThat(lookUps).hasSize(1);
        answer();
        assertThat(gone).containsExactly("1000-0", "1000-1", "1000-2");
    }

    @Test
    void anotherHostIsOneOwnerWithoutALookUp() {
        comes("friend", "192.0.2.7");
        for (int i = 0; i < PLACES + 3; i++) {
            comes("flood-" + i, "192.0.2.8");
        }
        assertThat(gone).containsExactly("flood-0", "flood-1", "flood-2", "flood-3");
        assertThat(lookUps).isEmpty();
    }

    @Test
    void theOldestGoesIfNobodyHasMoreThanHisShare() {
        for (int i = 0; i <= PLACES; i++) {
            comes("guest-" + i, "192.0.2." + (10 + i));
        }
        assertThat(gone).containsExactly("guest-0");
    }

    @Test
    void connectionOfUnknownUserCountsForItsHost() {
        localUsersCome(1000, PLACES + 1);
        lookUps.getLast().fail("no such table");
        assertThat(gone).containsExactly("1000-0");
        assertThat(pauses).containsExactly(true, false);
    }

    @Test
    void admittedOrEndedConnectionsMakeNoRoom() {
        Guest first = comes("first", "192.0.2.7");
        assertThat(unprovenConnections.remove(first)).isTrue();
        assertThat(unprovenConnections.remove(first)).isFalse();
        comes("second", "192.0.2.7");
        unprovenConnections.makeRoom("9 connections, at most 8");
        assertThat(gone).containsExactly("second");
        assertThat(unprovenConnections.isEmpty()).isTrue();
    }
}
