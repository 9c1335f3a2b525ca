package org.posthouse.directory;

import com.hazelcast.cluster.Address;
import com.hazelcast.instance.AddressPicker;
import com.hazelcast.instance.EndpointQualifier;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;

/**
 * The one address of a member, to bind and to announce, with a port that already listens. Hazelcast by default binds a
 * port itself, and closes the one that it is given.
 *
 * <p>Hazelcast's own interface matching knows 127.0.0.1 but not the rest of 127.0.0.0/8, which every Linux host can
 * bind. ADR 29 says why non-public classes are used.
 */
final class BoundAddress implements AddressPicker {
    private final Map<EndpointQualifier, Address> addresses;
    private final Map<EndpointQualifier, ServerSocketChannel> ports;

    BoundAddress(GroupConfig group, ServerSocketChannel held) {
        addresses = Map.of(EndpointQualifier.MEMBER, new Address(new InetSocketAddress(group.host(), group.port())));
        ports = Map.of(EndpointQualifier.MEMBER, held);
    }

    /** The address is fixed. */
    @Override
    public void pickAddress() {}

    @Override
    public Address getBindAddress(EndpointQualifier qualifier) {
        return addresses.get(qualifier);
    }

    @Override
    public Address getPublicAddress(EndpointQualifier qualifier) {
        return addresses.get(qualifier);
    }

    @Override
    public Map<EndpointQualifier, Address> getBindAddressMap() {
        return addresses;
    }

    @Override
    public Map<EndpointQualifier, Address> getPublicAddressMap() {
        return addresses;
    }

    @Override
    public ServerSocketChannel getServerSocketChannel(EndpointQualifier qualifier) {
        return ports.get(qualifier);
    }

    @Override
    public Map<EndpointQualifier, ServerSocketChannel> getServerSocketChannels() {
        return ports;
    }
}
