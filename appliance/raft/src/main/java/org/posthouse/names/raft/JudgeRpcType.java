package org.posthouse.names.raft;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/** Lets Ratis use {@link JudgeRpc}. Ratis makes it by its name, and finds the rest in its parameters. Stateless. */
final class JudgeRpcType implements RpcType {
    private static final String RPC = "posthouse.judge.rpc";

    /** The parameters of a server that uses a transport. */
    static Parameters parameters(JudgeRpc rpc) {
        Parameters parameters = new Parameters();
        parameters.put(RPC, rpc, JudgeRpc.class);
        return parameters;
    }

    @Override
    public String name() {
        return JudgeRpcType.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        JudgeRpc rpc = parameters.getNonNull(RPC, JudgeRpc.class);
        return new ServerFactory() {
            @Override
            public RaftServerRpc newRaftServerRpc(RaftServer server) {
                return rpc;
            }

            @Override
            public RpcType getRpcType() {
                return JudgeRpcType.this;
            }
        };
    }
}
