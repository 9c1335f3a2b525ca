package org.posthouse.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An order that the API takes. Confined to the console's event loop.
 *
 * <p>Who gives it has to prove that he may ({@link ConsoleGate}). A browser proves that for every page that it shows, by its user or by a cookie, so it must not be
 * a page of another origin that gives it ({@link SameOrigin}): the body must be declared as JSON, which a browser sends to another origin only after
 * asking, and is never told yes.
 *
 * @param <O> what is ordered
 * @param <R> what each relay reports
 */
final class OrderRoute<O, R> {
    /** Longest body of an order. */
    static final int BODY_BYTES_MAX = 4_096;

    /**
     * The parts that differ between orders.
     *
     * @param example a valid order, shown in the answer to an invalid one
     */
    record Kind<O, R>(String example, Parser<O> parser, Carrier<O, R> carrier, Function<List<R>, Buffer> answer) {}

    /** Reads an order. */
    interface Parser<O> {
        O parse(Buffer body) throws JsonProcessingException;
    }

    /** Has relays carry it out, those of this process given; fails with {@link IllegalArgumentException} if they cannot. */
    interface Carrier<O, R> {
        Future<List<R>> carry(List<RelayView> relays, O order);
    }

    /** Has each relay of this process carry it out. */
    static <O, R> Carrier<O, R> each(BiFunction<RelayView, O, Future<R>> carrier) {
        return (relays, order) -> Future.all(relays.stream().map(relay -> carrier.apply(relay, order)).toList()).map(all -> all.list());
    }

    private final Supplier<List<RelayView>> views;
    private final Gatekeeper gatekeeper;
    private final Kind<O, R> kind;

    /** The checks that all orders share. */
    record Gatekeeper(ConsoleGate gate, ConsoleConnections connections, ConsoleAudit audit) {}

    OrderRoute(Supplier<List<RelayView>> views, Gatekeeper gatekeeper, Kind<O, R> kind) {
        this.views = views;
        this.gatekeeper = gatekeeper;
        this.kind = kind;
    }

    void handle(RoutingContext ctx) {
        Optional<String> elsewhere = SameOrigin.refusal(ctx.request(), gatekeeper.gate.hasAmbientProof(ctx.request()));
        if (!SameOrigin.isJson(ctx.request())) {
            Responses.error(ctx, 415, "an order is application/json, as in " + kind.example);
        } else if (elsewhere.isPresent()) {
            Responses.error(ctx, 403, elsewhere.get());
        } else {
            gatekeeper.gate.requireOperator(ctx, "gives no orders", client -> order(ctx, client.who()));
        }
    }

    private static String field(JsonProcessingException fault) {
        return fault instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()
                ? mapping.getPath().getLast().getFieldName() + ": "
                : "";
    }

    private void order(RoutingContext ctx, String who) {
        O order;
        try {
            order = kind.parser.parse(ctx.body().buffer());
        } catch (JsonProcessingException e) {
            Responses.error(ctx, 400, "the order is not understood: " + field(e)
                    + (e instanceof JsonMappingException ? "expected as in " + kind.example : e.getOriginalMessage()));
            return;
        }
        HttpConnection connection = ctx.request().connection();
        gatekeeper.connections.hold(connection); // It may take seconds, and who gave it is to hear what came of it.
        kind.carrier.carry(views.get(), order).onComplete((reports, cause) -> {
            gatekeeper.connections.release(connection);
            gatekeeper.audit.ordered(who, order + ": " + (cause == null ? reports : "failed: " + cause));
            if (cause == null) {
                Responses.json(ctx, 200, kind.answer.apply(reports));
            } else if (cause instanceof IllegalArgumentException) {
                Responses.error(ctx, 400, cause.getMessage());
            } else {
                ctx.fail(cause);
            }
        });
    }
}
