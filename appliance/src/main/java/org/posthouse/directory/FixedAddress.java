package org.posthouse.directory;

import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.spi.MemberAddressProvider;
import java.net.InetSocketAddress;

/**
 * The one address of a member, to bind and to tell others.
 *
 * <p>Hazelcast's own matching of interfaces knows 127.0.0.1 but not the rest of 127.0.0.0/8, which every Linux host can
 * bind.
 */
final class FixedAddress implements MemberAddressProvider {
    private final InetSocketAddress address;

    FixedAddress(GroupConfig group) {
        address = new InetSocketAddress(group.host(), group.port());
    }

    @Override
    public InetSocketAddress getBindAddress() {
        return address;
    }

    @Override
    public InetSocketAddress getBindAddress(EndpointQualifier qualifier) {
        return address;
    }

    @Override
    public InetSocketAddress getPublicAddress() {
        return address;
    }

    @Override
    public InetSocketAddress getPublicAddress(EndpointQualifier qualifier) {
        return address;
    }
}
