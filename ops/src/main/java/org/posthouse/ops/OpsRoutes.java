package org.posthouse.ops;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.posthouse.ops.access.Logins;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RelayStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers of all paths. Confined to the console's event loop. Everything is read-only, GET and HEAD, except the
 * orders: to change the mode, to drain a gateway or a node, to end a job, and for checkpoints of a job. {@code openapi.json} lists the same paths and a
 * test compares the two.
 */
final class OpsRoutes {

    private static final Logger LOG = LoggerFactory.getLogger(OpsRoutes.class);
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final Pattern JOB_ID = Pattern.compile("[0-9a-f]{1,32}");
    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String EVENTS = "/api/v1/events";
    private static final String MODE = "/api/v1/mode";
    private static final String DRAIN = "/api/v1/drain";
    private static final String DRAIN_NODE = "/api/v1/drain-node";
    private static final String END_JOB = "/api/v1/end-job";
    private static final String CHECKPOINT = "/api/v1/checkpoint";
    private static final Set<String> ORDERS = Set.of(MODE, DRAIN, DRAIN_NODE, END_JOB, CHECKPOINT);

    private final Vertx vertx;
    private final Supplier<List<RelayView>> views;
    private final Known known;
    private final PrometheusMeterRegistry registry;
    private final MetricsPage meters;
    private final ConsoleConnections connections;

    /** What the console keeps. */
    record Known(GridStatus grid, EventBoard events, SpeedHistory history, Logins logins) {}

    OpsRoutes(
            Vertx vertx, Supplier<List<RelayView>> views, Known known, PrometheusMeterRegistry registry, MetricsPage meters,
            ConsoleConnections connections) {
        this.known = known;
        this.connections = connections;
        this.vertx = vertx;
        this.views = views;
        this.registry = registry;
        this.meters = meters;
    }

    Router router(OpsConfig config, ConsoleAssets assets, EventStream stream) {
        Router router = Router.router(vertx);
        router.route().handler(ctx -> {
            Responses.securityHeaders(ctx, assets.contentSecurityPolicy());
            ctx.next();
        });
        router.route().handler(new HostGuard(config));
        ConsoleGate gate = new ConsoleGate(vertx, config.access(), known.logins);
        OrderRoute.Gatekeeper gatekeeper = new OrderRoute.Gatekeeper(gate, connections, config.access().audit());
        open(router, gate, assets);
        logins(router, new LoginRoutes(gate, known.logins, config.access().audit()));
        router.route().handler(ctx -> {
            if (ctx.request().method() == HttpMethod.POST && ORDERS.contains(ctx.request().path())) {
                ctx.next(); // An order's own proof comes with the order.
            } else {
                gate.look(ctx, stranger -> assets.document(stranger, 401));
            }
        });
        get(router, "/metrics", this::metrics);
        get(router, "/api/v1/relays", ctx -> Responses.json(ctx, 200, OpsJson.relays(overview(), System.currentTimeMillis())));
        get(router, "/api/v1/grid", this::grid);
        get(router, "/api/v1/event-log", this::events);
        get(router, "/api/v1/history", ctx -> Responses.json(ctx, 200, OpsJson.history(known.history.shown())));
        get(router, "/api/v1/names", this::names);
        get(router, "/api/v1/jobs", ctx -> Responses.json(ctx, 200, OpsJson.jobs(overview().jobs())));
        get(router, "/api/v1/jobs/:id", this::job);
        get(router, "/api/v1/jobs/:id/matrix", ctx -> ask(ctx, JobQuestions::matrix));
        get(router, "/api/v1/jobs/:id/timeline", ctx -> ask(ctx, JobQuestions::timeline));
        get(router, "/api/v1/jobs/:id/waits", ctx -> ask(ctx, JobQuestions::waits));
        get(router, "/api/v1/jobs/:id/output", ctx -> {
            ctx.request().pause();
            gate.requireOperator(ctx, "does not see what programs print", client -> output(ctx));
        });
        router.get(EVENTS).handler(ctx -> {
            if (stream.accept(ctx, ConsoleGate.still(ctx))) {
                connections.hold(ctx.request().connection());
            }
        });
        order(router, gatekeeper, MODE, new OrderRoute.Kind<>(
                "{\"mode\":\"pooled\",\"loops\":4}", OpsJson::modeOrder, OrderRoute.each(RelayView::changeMode), OpsJson::modeReports));
        order(router, gatekeeper, DRAIN, new OrderRoute.Kind<>(
                "{\"drain\":true}", OpsJson::drainOrder, OrderRoute.each(RelayView::drain), OpsJson::drainReports));
        order(router, gatekeeper, DRAIN_NODE, new OrderRoute.Kind<>(
                "{\"node\":\"n1\",\"drain\":true}", OpsJson::nodeDrainOrder, OrderRoute.each(RelayView::drainNode), OpsJson::nodeDrainReports));
        order(router, gatekeeper, END_JOB, new OrderRoute.Kind<>(
                "{\"job\":\"1f4c9ae02b77d310\"}", OpsJson::endJobOrder, OrderRoute.each(RelayView::endJob), OpsJson::endJobReports));
        CheckpointRoute checkpoints = new CheckpointRoute(views, known.grid);
        order(router, gatekeeper, CHECKPOINT, new OrderRoute.Kind<>(
                "{\"job\":\"1f4c9ae02b77d310\"}", OpsJson::checkpointOrder, (relays, order) -> checkpoints.carry(order), OpsJson::checkpointReports));
        errors(router, assets);
        return router;
    }

    /** What shows nothing of a relay but whether it is well: for supervisors, and for the page on which people log in. */
    private void open(Router router, ConsoleGate gate, ConsoleAssets assets) {
        get(router, "/healthz", ctx -> Responses.json(ctx, 200, OpsJson.health()));
        get(router, "/livez", ctx -> Responses.json(ctx, 200, OpsJson.health()));
        get(router, "/readyz", ctx -> ready(ctx, gate));
        get(router, "/openapi.json", assets::serve);
        ConsoleAssets.PAGES.forEach(page -> get(router, page, assets::document));
        get(router, "/console/*", assets::serve);
        get(router, "/webjars/*", assets::serve);
    }

    private static void logins(Router router, LoginRoutes logins) {
        get(router, LoginRoutes.LOGIN, logins::forms);
        get(router, LoginRoutes.ME, logins::me);
        router.post(LoginRoutes.LOGIN).handler(BodyHandler.create(false).setBodyLimit(OrderRoute.BODY_BYTES_MAX)).handler(logins::login);
        router.post(LoginRoutes.LOGOUT).handler(BodyHandler.create(false).setBodyLimit(OrderRoute.BODY_BYTES_MAX)).handler(logins::logout);
    }

    private static void get(Router router, String path, Handler<RoutingContext> handler) {
        router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD).handler(handler);
    }

    private <O, R> void order(Router router, OrderRoute.Gatekeeper gatekeeper, String path, OrderRoute.Kind<O, R> kind) {
        router.post(path)
                .handler(BodyHandler.create(false).setBodyLimit(OrderRoute.BODY_BYTES_MAX))
                .handler(new OrderRoute<>(views, gatekeeper, kind)::handle);
    }

    private void events(RoutingContext ctx) {
        String after = parameter(ctx, "after", "0");
        String limit = parameter(ctx, "limit", Integer.toString(EventBoard.EVENTS_MAX));
        if (!NUMBER.matcher(after).matches() || !NUMBER.matcher(limit).matches()) {
            Responses.error(ctx, 400, "after=\"" + Responses.shortened(after) + "\", limit=\"" + Responses.shortened(limit)
                    + "\", expected whole numbers of at most 18 digits");
            return;
        }
        views.get().forEach(known.events::look);
        int most = (int) Math.min(EventBoard.EVENTS_MAX, Long.parseLong(limit));
        Responses.json(ctx, 200, OpsJson.events(
                known.events.after(Long.parseLong(after), most, parameter(ctx, "job", ""), parameter(ctx, "kind", ""))));
    }

    /** As the first relay of this process sees them. */
    private void names(RoutingContext ctx) {
        List<RelayView> relays = views.get();
        if (relays.isEmpty()) {
            Responses.error(ctx, 503, "no relay runs in this process");
            return;
        }
        relays.getFirst().names(parameter(ctx, "prefix", ""), parameter(ctx, "after", "")).onComplete((found, fault) -> {
            if (fault == null) {
                answer(ctx, () -> OpsJson.names(found));
            } else if (fault instanceof IllegalArgumentException) {
                Responses.error(ctx, 400, Responses.shortened(fault.getMessage()));
            } else {
                ctx.fail(fault);
            }
        });
    }

    private static String parameter(RoutingContext ctx, String name, String otherwise) {
        String value = ctx.request().getParam(name);
        return value == null ? otherwise : value;
    }

    /** The relays of other processes are asked first. */
    private void grid(RoutingContext ctx) {
        known.grid.refresh().onComplete(asked -> {
            Overview overview = overview().with(known.grid.entries());
            answer(ctx, () -> OpsJson.overview(overview, System.currentTimeMillis()));
        });
    }

    /** Writes and packs a long text on a worker. */
    private void answer(RoutingContext ctx, Supplier<Buffer> text) {
        boolean isPacked = Gzip.isAccepted(ctx.request());
        vertx.executeBlocking(() -> isPacked ? Gzip.pack(text.get()) : text.get(), false)
                .onSuccess(body -> {
                    ctx.response().putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
                    if (isPacked) {
                        ctx.response().putHeader(HttpHeaders.CONTENT_ENCODING, Gzip.NAME);
                    }
                    Responses.json(ctx, 200, body);
                })
                .onFailure(ctx::fail);
    }

    private Overview overview() {
        return Overview.of(views.get());
    }

    private void job(RoutingContext ctx) {
        withJob(ctx, overview(), job -> Responses.json(ctx, 200, OpsJson.job(job)));
    }

    /** The homes of its ranks are those that the grid's relays say. */
    private void ask(RoutingContext ctx, BiFunction<JobQuestions, JobStatus, Future<? extends Record>> question) {
        JobQuestions questions = new JobQuestions(views, known.grid, known.events);
        known.grid.refresh().onComplete(asked -> withJob(ctx, overview().with(known.grid.entries()), job -> question.apply(questions, job)
                .onSuccess(told -> answer(ctx, () -> OpsJson.ofJob(told)))
                .onFailure(ctx::fail)));
    }

    /** Of somebody who has proved that he may give orders: what programs print is nobody else's. */
    private void output(RoutingContext ctx) {
        ctx.request().resume();
        try {
            OutputQuery query = OutputQuery.of(
                    ctx.pathParam("id"), parameter(ctx, "rank", ""), parameter(ctx, "lines", ""), parameter(ctx, "search", ""));
            ask(ctx, (questions, job) -> questions.output(job, query));
        } catch (IllegalArgumentException e) {
            Responses.error(ctx, 400, e.getMessage());
        }
    }

    private static void withJob(RoutingContext ctx, Overview overview, Consumer<JobStatus> then) {
        String id = ctx.pathParam("id");
        if (!JOB_ID.matcher(id).matches()) {
            Responses.error(ctx, 400, "\"" + Responses.shortened(id)
                    + "\" is no job id: expected 1 to 32 lower-case hexadecimal digits");
            return;
        }
        overview.job(id).ifPresentOrElse(
                then,
                () -> Responses.error(ctx, 404, "no relay here knows job " + id
                        + "; /api/v1/jobs lists those it knows"));
    }

    /** Who may not look is not told why. */
    private void ready(RoutingContext ctx, ConsoleGate gate) {
        if (gate.isOpen()) {
            ready(ctx, true);
        } else {
            gate.client(ctx, client -> ready(ctx, client.isPresent()));
        }
    }

    private void ready(RoutingContext ctx, boolean withReasons) {
        List<OpsJson.NotReady> problems = new ArrayList<>();
        List<RelayView> relays = views.get();
        if (relays.isEmpty()) {
            problems.add(new OpsJson.NotReady("", "", "no relay runs in this process"));
        }
        relays.forEach(view -> problems.addAll(problemsOf(view)));
        Responses.json(ctx, problems.isEmpty() ? 200 : 503, OpsJson.readiness(problems.isEmpty(), withReasons ? problems : List.of()));
    }

    private static List<OpsJson.NotReady> problemsOf(RelayView view) {
        try {
            RelayStatus relay = view.snapshot();
            return view.readiness().reasons().stream()
                    .map(reason -> new OpsJson.NotReady(relay.site(), relay.relay(), reason))
                    .toList();
        } catch (RuntimeException e) {
            LOG.warn("a relay's view failed while its readiness was asked", e);
            return List.of(new OpsJson.NotReady("", "", "a relay does not answer: " + (e.getMessage() == null ? "see its log" : e.getMessage())));
        }
    }

    /** Counts are taken here, on the loop; writing some hundred meters as text is a worker's job. */
    private void metrics(RoutingContext ctx) {
        meters.refresh(views.get());
        vertx.executeBlocking(() -> Buffer.buffer(registry.scrape()), false)
                .onSuccess(text -> ctx.response().putHeader(HttpHeaders.CONTENT_TYPE, PROMETHEUS_TEXT).end(text))
                .onFailure(ctx::fail);
    }

    private static void errors(Router router, ConsoleAssets assets) {
        router.errorHandler(400, ctx -> Responses.error(ctx, 400, "the request is malformed"));
        router.errorHandler(404, ctx -> {
            if (fromAddressBar(ctx)) {
                assets.document(ctx, 404);
            } else {
                Responses.error(ctx, 404, "no such path: " + Responses.shortened(ctx.request().path()) + "; /openapi.json lists them");
            }
        });
        router.errorHandler(405, ctx -> {
            boolean order = ORDERS.contains(ctx.request().path()) || ctx.request().path().equals(LoginRoutes.LOGOUT);
            ctx.response().putHeader(HttpHeaders.ALLOW, order ? "POST" : ctx.request().path().equals(EVENTS) ? "GET" : "GET, HEAD");
            String method = shown(ctx.request().method());
            Responses.error(ctx, 405, order ? "an order is given with POST, not " + method
                    : "this path is read-only: use GET, not " + method);
        });
        router.errorHandler(413, ctx -> Responses.error(ctx, 413, "the body is longer than " + OrderRoute.BODY_BYTES_MAX
                + " bytes, the limit"));
        router.errorHandler(500, ctx -> {
            LOG.warn("{} {} failed", shown(ctx.request().method()), ctx.request().path(), ctx.failure());
            Responses.error(ctx, 500, "the relay could not answer; its log says why");
        });
    }

    /** Whether a person asks for a page, not a program for data. */
    static boolean fromAddressBar(RoutingContext ctx) {
        String accepted = ctx.request().getHeader(HttpHeaders.ACCEPT);
        HttpMethod method = ctx.request().method();
        return accepted != null && accepted.contains("text/html") && (method == HttpMethod.GET || method == HttpMethod.HEAD)
                && !ctx.request().path().startsWith("/api/");
    }

    private static String shown(HttpMethod method) {
        return Responses.shortened(method.name());
    }
}
