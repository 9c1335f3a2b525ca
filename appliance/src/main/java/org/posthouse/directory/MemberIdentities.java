package org.posthouse.directory;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.internal.server.tcp.TcpServerConnection;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Compares the relay that a member of the group says to be with the relay that has proven itself on its connection. Confined to the directory's thread.
 *
 * <p>Who may connect has proven a relay's id by the site's certificate. What Hazelcast then calls a member, its attributes and its address, is the member's own
 * word. It decides which relays are missed, and how many reach each other. So a relay whose member says something else is barred.
 *
 * <p>It must have been found twice: while one relay replaces another at an address, the list has the old member beside the new one's connection.
 */
final class MemberIdentities {
    private final HazelcastInstance member;
    private final GroupGuard guard;

    /** Members that have said something else when they were looked at last, with what was proven. */
    private Map<UUID, String> suspects = new HashMap<>();

    MemberIdentities(HazelcastInstance member, GroupGuard guard) {
        this.member = member;
        this.guard = guard;
    }

    /** Looks once. Called every few seconds. */
    void check() {
        Map<UUID, String> found = new HashMap<>();
        for (Member other : member.getCluster().getMembers()) {
            if (!other.localMember()) {
                check(other, found);
            }
        }
        suspects = found;
    }

    private void check(Member other, Map<UUID, String> found) {
        String says = Objects.requireNonNullElse(other.getAttribute(GroupMember.RELAY_ATTRIBUTE), "no relay");
        for (ServerConnection connection : GroupMember.connections(member, other.getAddress())) {
            SocketChannel channel = ((TcpServerConnection) connection).getChannel().socket().getChannel();
            guard.provenRelay(channel).filter(proven -> !proven.equals(says)).ifPresent(proven -> {
                if (proven.equals(suspects.get(other.getUuid()))) {
                    guard.bar(proven, "relay " + proven + " has proven itself there, and its member says to be " + says + "; the relay is barred");
                }
                found.put(other.getUuid(), proven);
            });
        }
    }
}
